import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ApiResponse } from "../../../../client/client.ts";
import { ClaimsError, rephraseError } from "../../../../domain/errors.ts";
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

/** A new endpoint, whose secret goes where it was to go and nowhere else: to the keepers, or where there is none to stdout. */
export async function renderCreatedEndpoint(
  context: Context,
  answer: ApiResponse,
  keepers: readonly SecretDestination[],
): Promise<RecordOutput> {
  const created = parseJsonResponse(answer, "the new endpoint");
  const { signingSecret: secret, ...endpoint }: ServiceRecord = isRecord(created) ? created : {};
  const id = idOf(endpoint);
  const card = toRecordCard(endpoint, `Endpoint ${id ?? ""}`);
  if (typeof secret !== "string" || secret === "")
    return { kind: "record", json: answer.body, id, blocks: [card], failure: missingSecretError(answer, id) };
  if (!isSecretValue(secret) || secret.length > MAX_SECRET_LENGTH)
    return {
      kind: "record",
      json: keepers.length === 0 ? answer.body : endpoint,
      id,
      blocks: [card],
      failure: await malformedSecretError(context, answer, id),
    };
  if (keepers.length === 0)
    return {
      kind: "record",
      json: answer.body,
      id,
      blocks: [
        card,
        { kind: "paragraph", title: "Signing secret, shown once", lines: [`  ${secret}`] },
        nextStep(id),
      ],
    };
  const { places, failure } = await writeSecret(context, secret, keepers);
  const where = places.length > 0 ? `in ${places.join(" and ")}` : null;
  return {
    kind: "record",
    json: endpoint,
    id,
    blocks: [{ ...card, rows: [...card.rows, ["signing secret", where]] }, nextStep(id)],
    failure,
  };
}

/** Characters; HMAC-SHA256 hashes a key of more than 64 bytes before it uses it (RFC 2104 §2), so none gains by more. */
const MAX_SECRET_LENGTH = 1_024;

/** In a .env file, a line end in the secret would set another variable, such as NODE_OPTIONS. */
async function malformedSecretError(
  context: Context,
  { body }: ApiResponse,
  id: string | null,
): Promise<ClaimsError> {
  const saved = await saveResponse(context, "endpoint", body);
  return new ClaimsError(
    "rejected",
    "invalid_secret",
    `the signingSecret of ${id === null ? "the new endpoint" : `endpoint ${id}`} is not one word of up to ${MAX_SECRET_LENGTH} visible ASCII characters, so it was not stored; ${saved}`,
    {
      hint: "do not use this endpoint: ask the service's operator why, and have it revoked before you create another",
    },
  );
}

/** Every place gets it; where all fail, one of our own, since the secret is not told again. */
async function writeSecret(
  context: Context,
  secret: string,
  keepers: readonly SecretDestination[],
): Promise<{ readonly places: readonly string[]; readonly failure: ClaimsError | undefined }> {
  const places: string[] = [];
  let failure: ClaimsError | undefined;
  for (const { write: keep, label: place } of keepers) {
    try {
      await keep(secret);
      places.push(place);
    } catch (error) {
      failure = error instanceof ClaimsError ? error : cannotWriteError(place, error);
    }
  }
  if (!failure) return { places, failure };
  const rescue = places.length > 0 ? null : await writeRescueFile(context, secret);
  if (rescue !== null) places.push(rescue);
  const outcome = places.length > 0 ? `the signing secret is in ${places.join(" and ")}` : SECRET_LOST;
  return { places, failure: rephraseError(failure, { message: `${failure.message}; ${outcome}` }) };
}

/** Whatever it was, the secret in hand comes first. */
const cannotWriteError = (place: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "cannot_write", `cannot write ${place}: ${describeFileError(cause)}`, {
    hint: "name another place the next time",
    cause,
  });

const SECRET_LOST = "the signing secret could not be kept anywhere, and is told once: make another endpoint";

/** The file that it was saved to after all; null where that fails as well. */
async function writeRescueFile(context: Context, secret: string): Promise<string | null> {
  const place = join(resolveStateFolder(context), `webhook-${randomUUID()}.secret`);
  try {
    await createStateFolder(context);
    await writeFileAtomically(place, [secret], { mode: 0o600 });
    return place;
  } catch {
    // What is told then is that it is lost, beside why the first place failed.
    return null;
  }
}

const nextStep = (id: string | null): Block => ({
  kind: "paragraph",
  title: "Next",
  isAdvice: true,
  lines: [`  claims webhooks test partner.test${id === null ? "" : ` --endpoint ${quoteId(id)}`}`],
});

/** The endpoint is there and its secret cannot be had any more. */
function missingSecretError({ headers }: ApiResponse, id: string | null): ClaimsError {
  const isReplayed = headers["idempotent-replayed"] !== undefined;
  const message = isReplayed
    ? `endpoint ${id} was made by an earlier run whose answer got lost, and its signing secret is told once`
    : `the answer for endpoint ${id} has no signingSecret, which the interface promises (§2)`;
  return new ClaimsError("rejected", "secret_not_told", message, {
    hint: isReplayed
      ? "run the command again: it makes another endpoint, with a secret of its own; have this one revoked"
      : "read the answer with --json, and ask whoever runs the service",
  });
}
