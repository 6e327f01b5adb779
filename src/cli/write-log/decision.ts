import { describeBody } from "../../client/http/describe-body.ts";
import type { ApiResponse } from "../../client/http/response.ts";
import { FOREIGN_KINDS, readWriteMeaning, type WriteMeaning } from "../../client/write-meaning.ts";
import { type ClaimsError, needsDecisionError } from "../../domain/errors.ts";
import { tryParseJson } from "../connection/json-response.ts";
import { ENVIRONMENT_HINT, findOtherEnvironment } from "../connection/record-environment.ts";
import type { Context } from "../context.ts";
import type { Intent } from "./events.ts";
import type { ResendOptions } from "./write-options.ts";
import type { WriteRecord } from "./write-record.ts";

/** A successful response to a write. A submission says itself what its response means. */
export interface WriteResponse extends ApiResponse {
  readonly jobId?: string | null;
  readonly meaning?: WriteMeaning;
  /** Why the job id cannot be read. */
  readonly idProblem?: string;
}

/** Why a write with a successful response needs a decision by a person (product.md §4, *Accepted*, *Environment*). */
export function findDecision(
  { operation, environment, key }: Pick<Intent, "operation" | "environment" | "key">,
  response: WriteResponse,
): ClaimsError | null {
  const { meaning = readWriteMeaning(response), jobId, idProblem, status } = response;
  const details = { status, requestId: response.headers["x-request-id"], jobId: jobId ?? undefined };
  if (meaning === "unrecognized") {
    const { kind, text } = describeBody(response);
    const came = `${text} came${FOREIGN_KINDS.includes(kind) ? ", not a response of the claims service" : ""}`;
    const message = `${operation}: ${came}; the outcome is unknown, and it will not be sent again`;
    return needsDecisionError("response_unrecognized", message, { ...details, hint: hintToResolve(key) });
  }
  if (meaning === "accepted_without_id")
    return needsDecisionError("job_id_unknown", `the service accepted the submission, but ${idProblem}`, {
      ...details,
      hint: `look for the job on the service, then \`claims history resolve ${key} --job-id ID\`; next time, name the place of the id with --job-id-path`,
    });
  const other = findOtherEnvironment(operation, tryParseJson(response), environment);
  if (other === undefined) return null;
  const place = `${jobId ? ` as job ${jobId}` : ""} in ${other}, but this command is for ${environment}`;
  const message = `${operation}: the service accepted the write${place}`;
  return needsDecisionError("accepted_elsewhere", message, { ...details, hint: ENVIRONMENT_HINT });
}

export const hintToResolve = (key: string): string =>
  `check the base URL, and look for the write on the service; \`claims history resolve ${key}\` records what happened, and with --refused it can be sent again`;

/** Whether only a person can decide that a write with an unknown outcome is sent again. */
export const isUnrecognized = ({ code }: Pick<WriteRecord, "code">): boolean =>
  code === "response_unrecognized";

function unrecognizedBeforeError({ at, key, responseFile }: WriteRecord): ClaimsError {
  const saved = responseFile === undefined ? "" : ` (${responseFile})`;
  const message = `the outcome of the write sent at ${at} under the key ${key} is unknown: its response${saved} is not one of the claims service; it is not sent again`;
  return needsDecisionError("response_unrecognized", message, { hint: hintToResolve(key) });
}

/** A service keeps keys for a limited, assumed time of 24 hours. */
const DEFAULT_KEY_LIFETIME_MS = 23 * 3_600_000;

/** A later intent is of a clock that was wrong. */
const MAX_FUTURE_MS = 5 * 60_000;

/** The service keeps no keys, or has forgotten this one. @throws ClaimsError of kind `needs_decision` */
export async function refuseResend(
  context: Pick<Context, "now">,
  record: WriteRecord,
  { keyLifetime = DEFAULT_KEY_LIFETIME_MS, resendUnknown = false }: ResendOptions,
  isKeySupported: () => Promise<boolean>,
): Promise<void> {
  if (resendUnknown) return;
  if (isUnrecognized(record)) throw unrecognizedBeforeError(record);
  const ageMs = context.now() - Date.parse(record.at);
  const isOld = !(ageMs >= -MAX_FUTURE_MS && ageMs < keyLifetime);
  const isAccepted = record.outcome === "accepted";
  if (!isOld && (isAccepted || (await isKeySupported()))) return;
  const { at, key } = record;
  const reason = isOld
    ? "the service may have forgotten the key since"
    : "the service's contract has no Idempotency-Key";
  const write = `the write sent at ${at} under the key ${key}`;
  const state = isAccepted ? `${write} was accepted` : `the outcome of ${write} is unknown`;
  const message = `${state}, and ${reason}; it was not sent again`;
  throw needsDecisionError(isAccepted ? "key_expired" : "outcome_unknown", message, {
    hint: isAccepted
      ? "take another key, or send it again with --resend-unknown"
      : `look for it on the service; \`claims history resolve ${key}\` records what happened, or --resend-unknown sends it again`,
  });
}
