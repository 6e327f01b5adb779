import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ApiResponse } from "../../../../client/http/response.ts";
import { ClaimsError, rejectedError, rephraseError, usageError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { isSecretValue } from "../../../connection/secrets.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { createStateFolder, resolveStateFolder } from "../../../files/folders.ts";
import { saveResponse } from "../../../files/save-response.ts";
import type { Block, RecordOutput } from "../../../output/output.ts";
import { toRecordCard } from "../../../output/record-card.ts";
import { quoteId } from "../../../output/shell-quote.ts";
import { idOf, type ServiceRecord } from "../../../records/paged-list.ts";
import type { SecretDestination } from "./secret-destinations.ts";

/** HMAC-SHA256 hashes a key of more than 64 bytes first (RFC 2104 §2), so a longer secret has no advantage. */
const MAX_SECRET_LENGTH = 1_024;

/** Shows the endpoint, and writes its secret to the destinations; without any, the secret goes to stdout. */
export async function renderCreatedEndpoint(
  context: Context,
  response: ApiResponse,
  destinations: readonly SecretDestination[],
): Promise<RecordOutput> {
  const created = parseJsonResponse(response, "the new endpoint");
  const { signingSecret: secret, ...endpoint }: ServiceRecord = isRecord(created) ? created : {};
  const id = idOf(endpoint);
  const card = toRecordCard("endpoint", endpoint, `Endpoint ${id ?? ""}`);
  const toOutput = (json: RecordOutput["json"], blocks: readonly Block[], failure?: ClaimsError) =>
    ({ kind: "record", json, record: endpoint, id, blocks, failure }) as const;
  if (typeof secret !== "string" || secret === "")
    return toOutput(response.body, [card], missingSecretError(response, id));
  const json = destinations.length === 0 ? response.body : removeSecret(response, secret);
  if (!isSecretValue(secret) || secret.length > MAX_SECRET_LENGTH)
    return toOutput(json, [card], await invalidSecretError(context, response, id));
  const nextStep: Block = {
    kind: "paragraph",
    title: "Next",
    isAdvice: true,
    lines: [`  claims webhooks test partner.test${id === null ? "" : ` --endpoint ${quoteId(id)}`}`],
  };
  if (destinations.length === 0) {
    const shown: Block = { kind: "paragraph", title: "Signing secret, shown once", lines: [`  ${secret}`] };
    return toOutput(json, [card, shown, nextStep]);
  }
  const { labels, failure } = await writeSecret(context, secret, destinations);
  const where = labels.length > 0 ? `in ${labels.join(" and ")}` : null;
  return toOutput(json, [{ ...card, rows: [...card.rows, ["signing secret", where]] }, nextStep], failure);
}

/** The response without the secret, under whatever name the service sent it. */
const removeSecret = ({ body }: ApiResponse, secret: string): object =>
  JSON.parse(body.toString("utf8"), (_, value: unknown) => (value === secret ? undefined : value));

/** In a .env file, a line end in the secret would set another variable, such as NODE_OPTIONS. */
async function invalidSecretError(context: Context, { body }: ApiResponse, id: string | null) {
  const saved = await saveResponse(context, "endpoint", body);
  const endpoint = id === null ? "the new endpoint" : `endpoint ${id}`;
  return rejectedError(
    "invalid_secret",
    `the signingSecret of ${endpoint} is not one word of up to ${MAX_SECRET_LENGTH} visible ASCII characters, so it was not stored; ${saved}`,
    {
      hint: "do not use this endpoint: ask the service's operator for the reason, and have it revoked before you create another",
    },
  );
}

/** Writes to every destination. If all fail, writes to the state folder: the service shows the secret once. */
async function writeSecret(context: Context, secret: string, destinations: readonly SecretDestination[]) {
  const labels: string[] = [];
  let failure: ClaimsError | undefined;
  for (const { label, write } of destinations) {
    try {
      await write(secret);
      labels.push(label);
    } catch (error) {
      failure =
        error instanceof ClaimsError
          ? error
          : usageError("cannot_write", `cannot write ${label}: ${describeFileError(error)}`, {
              hint: "name another place next time",
              cause: error,
            });
    }
  }
  if (!failure) return { labels, failure };
  if (labels.length === 0) labels.push(...(await writeRescueFile(context, secret)));
  const outcome =
    labels.length > 0
      ? `the signing secret is in ${labels.join(" and ")}`
      : "the signing secret is lost, and the service shows it once: create another endpoint";
  return { labels, failure: rephraseError(failure, { message: `${failure.message}; ${outcome}` }) };
}

async function writeRescueFile(context: Context, secret: string): Promise<readonly string[]> {
  const path = join(resolveStateFolder(context), `webhook-${randomUUID()}.secret`);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [secret], { mode: 0o600 });
    return [path];
  } catch {
    // The caller reports the loss, and why the first destination failed.
    return [];
  }
}

function missingSecretError({ headers }: ApiResponse, id: string | null): ClaimsError {
  const isReplayed = headers["idempotent-replayed"] !== undefined;
  const message = isReplayed
    ? `an earlier run created endpoint ${id} and lost the response, which alone shows the signing secret`
    : `the response for ${id === null ? "the new endpoint" : `endpoint ${id}`} has no signingSecret, which the interface promises (§2)`;
  return rejectedError("no_secret_returned", message, {
    hint: isReplayed
      ? "run the command again to create another endpoint with a new secret, and have this one revoked"
      : "read the response with --json, and ask the service's operator",
  });
}
