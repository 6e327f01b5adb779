import { parseJsonBody } from "../../../../client/http/classify-body.ts";
import type { ApiResponse } from "../../../../client/http/response.ts";
import {
  ClaimsError,
  needsDecisionError,
  rejectedError,
  rephraseError,
  usageError,
} from "../../../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../../../domain/json.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import { isSecretValue } from "../../../connection/secrets.ts";
import type { Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { saveResponse } from "../../../files/save-response.ts";
import type { Block, RecordOutput } from "../../../output/output.ts";
import { toRecordCard } from "../../../output/record-card.ts";
import { quoteId } from "../../../output/shell-quote.ts";
import { idOf, type ServiceRecord } from "../../../records/paged-list.ts";
import type { SecretDestination } from "./secret-destination.ts";

/** HMAC-SHA256 hashes a key of more than 64 bytes first (RFC 2104 §2), so a longer secret has no advantage. */
const MAX_SECRET_LENGTH = 1_024;

export async function renderCreatedEndpoint(
  context: Context,
  response: ApiResponse,
  destination: SecretDestination | null,
): Promise<RecordOutput> {
  const created = tryParseJson(response);
  const [found, ...others] = isTooDeep(created) ? [] : findSecrets(created);
  if (found === undefined || others.some(({ secret }) => secret !== found.secret))
    throw await missingSecretError(context, response, isRecord(created) ? idOf(created) : null);
  const { secret } = found;
  const endpoint = removeSecret(found.endpoint, secret);
  const id = idOf(endpoint);
  const card = toRecordCard("endpoint", endpoint, `Endpoint ${id ?? ""}`);
  // The secret was found in it, so it is an object or a list.
  const json = destination ? removeSecret(parseJsonBody(response) as object, secret) : response.body;
  const output = { kind: "record", json, record: destination ? endpoint : found.endpoint, id } as const;
  if (!isSecretValue(secret) || secret.length > MAX_SECRET_LENGTH)
    return { ...output, blocks: [card], failure: await invalidSecretError(context, response, id) };
  const nextSteps = describeNextStep(endpoint, id);
  const shown: Block = { kind: "paragraph", title: "Signing secret, shown once", lines: [`  ${secret}`] };
  if (!destination) return { ...output, blocks: [card, shown, ...nextSteps] };
  const failure = await writeSecret(context, response, secret, destination);
  const rows = [...card.rows, ["signing secret", failure ? null : `in ${destination.label}`] as const];
  return { ...output, blocks: [{ ...card, rows }, ...nextSteps], failure };
}

/** The test event is one of the sandbox environment: an endpoint for production does not get it. */
function describeNextStep({ environmentScope }: ServiceRecord, id: string | null): readonly Block[] {
  if (environmentScope === "production") return [];
  const command = `claims webhooks test partner.test${id === null ? "" : ` --endpoint ${quoteId(id)}`}`;
  return [{ kind: "paragraph", title: "Next", isAdvice: true, lines: [`  ${command}`] }];
}

/** In a variable or a .env file, a line end in the secret would set another variable, such as NODE_OPTIONS. */
async function invalidSecretError(context: Context, { body }: ApiResponse, id: string | null) {
  const { note } = await saveResponse(context, "endpoint", body);
  const endpoint = id === null ? "the new endpoint" : `endpoint ${id}`;
  const message = `the signingSecret of ${endpoint} is not one word of up to ${MAX_SECRET_LENGTH} visible ASCII characters, so it was not stored; ${note}`;
  return rejectedError("invalid_secret", message, {
    hint: "do not use this endpoint: ask the service's operator for the reason, and have it revoked before you create another",
  });
}

/** Writes the secret. If that fails, saves the response: the service shows the secret once. */
async function writeSecret(
  context: Context,
  { body }: ApiResponse,
  secret: string,
  { label, write }: SecretDestination,
): Promise<ClaimsError | undefined> {
  try {
    await write(secret);
    return undefined;
  } catch (cause) {
    const message = `cannot write ${label}: ${describeFileError(cause)}`;
    const hint = "name another place next time";
    const failure =
      cause instanceof ClaimsError ? cause : usageError("cannot_write", message, { hint, cause });
    const { note } = await saveResponse(context, "endpoint", body);
    const outcome = `nothing else shows the signing secret: ${note}`;
    return rephraseError(failure, { message: `${failure.message}; ${outcome}` });
  }
}

/** The response is only saved: it may have the secret under another name. */
async function missingSecretError(context: Context, { headers, body }: ApiResponse, given: string | null) {
  // A service that has the secret at another place may have it in the id.
  const id = given?.includes("whsec_") ? null : given;
  const isReplayed = headers["idempotent-replayed"] !== undefined;
  const message = isReplayed
    ? `an earlier run created ${id === null ? "an endpoint" : `endpoint ${id}`} and lost the response, which alone shows the signing secret`
    : `the response for ${id === null ? "the new endpoint" : `endpoint ${id}`} does not have exactly one signingSecret, which the interface promises (§2)`;
  const { note } = await saveResponse(context, "endpoint", body);
  return needsDecisionError("no_secret_returned", `${message}; ${note}`, {
    hint: isReplayed
      ? "run the command again to create another endpoint with a new secret, and have this one revoked"
      : "look for the secret in the saved response, and ask the service's operator before you create another endpoint",
  });
}

interface FoundSecret {
  readonly secret: string;
  /** The innermost object with an id around the secret; without an id, the object that has the secret. */
  readonly endpoint: ServiceRecord;
}

/** Finds the signing secrets of a response by their documented name, at any depth (product.md §4). */
export function findSecrets(value: unknown, outer: ServiceRecord = {}): readonly FoundSecret[] {
  if (Array.isArray(value)) return value.flatMap((each) => findSecrets(each, outer));
  if (!isRecord(value)) return [];
  const endpoint = idOf(value) === null && idOf(outer) !== null ? outer : value;
  const { signingSecret: secret } = value;
  const own = typeof secret === "string" && secret !== "" ? [{ secret, endpoint }] : [];
  return [...own, ...Object.values(value).flatMap((each) => findSecrets(each, endpoint))];
}

/** Removes the members that are the secret or are named after it, and redacts it in other text. */
function removeSecret<T>(value: T, secret: string): T;
function removeSecret(value: unknown, secret: string): unknown {
  if (typeof value === "string") return value.replaceAll(secret, "[redacted]");
  if (Array.isArray(value)) return value.map((each) => removeSecret(each, secret));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, each]) => each !== secret && !name.includes(secret));
  return Object.fromEntries(kept.map(([name, each]) => [name, removeSecret(each, secret)]));
}
