import { type ClassifiedBody, classifyBody, parseJsonBody } from "../../client/http/classify-body.ts";
import type { ApiResponse } from "../../client/http/response.ts";
import { findStatedFailure } from "../../client/stated-failure.ts";
import { ClaimsError, needsDecisionError, rephraseError } from "../../domain/errors.ts";
import { quoteValue } from "../../domain/json.ts";
import { formatTime } from "../../domain/times.ts";
import { tryParseJson } from "../connection/json-response.ts";
import { findOtherEnvironment } from "../connection/record-environment.ts";
import type { Context } from "../context.ts";
import { saveResponse } from "../files/save-response.ts";
import { type Doubt, hintToResolve } from "./decide-write.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import type { BegunWrite, LoggedWrites } from "./logged-writes.ts";
import { formatSavedResponse } from "./saved-response.ts";
import { isUnrecognized } from "./write-record.ts";

/** A successful response to a write. */
export interface WriteResponse extends ApiResponse {
  /** Of a submission; null if its response shows none. */
  readonly jobId?: string | null;
  /** Why the job id cannot be read. */
  readonly idProblem?: string;
}

export interface LoggedResponse extends WriteResponse {
  readonly jobId: string | null;
  /** Why a person must make a decision about it. */
  readonly failure?: ClaimsError | undefined;
}

export interface Sender {
  send(idempotencyKey: string): Promise<WriteResponse>;
  /** Whether the service executes each key once. */
  checkKeySupport(): Promise<boolean>;
}

/** Sends a write whose intent is in the log, and logs what became of it. */
export async function finishWrite(
  context: Context,
  writes: LoggedWrites,
  write: BegunWrite,
  plan: Sender,
): Promise<LoggedResponse> {
  let response: WriteResponse;
  try {
    response = await plan.send(write.key);
  } catch (error) {
    throw await endFailedWrite(writes, write, plan, error);
  }
  const { jobId = write.jobId, status } = response;
  const doubt = await findDoubt(writes, write, { ...response, jobId });
  if (doubt === null) {
    const unlogged = await writes.end(write, { type: "accepted", jobId, status });
    return { ...response, jobId, failure: unlogged ? describeUnlogged(unlogged, jobId) : undefined };
  }
  const saved = await saveResponse(context, "write", formatSavedResponse(response));
  const failure = rephraseError(doubt, { message: `${doubt.message}; ${saved.note}` });
  const details = { code: failure.code, responseFile: saved.path };
  if (isOutcomeUnknown(failure)) {
    await writes.end(write, { type: "unknown", ...details });
    throw failure;
  }
  await writes.end(write, { type: "accepted", ...details, jobId, status });
  return { ...response, jobId, failure };
}

/** The next run does not know that the write was accepted. */
const describeUnlogged = (error: ClaimsError, jobId: string | null): ClaimsError =>
  rephraseError(error, {
    message: `the service accepted the write${jobId === null ? "" : ` as job ${jobId}`}, and ${error.message}`,
    jobId: jobId ?? undefined,
    retryable: false,
  });

/** Logs the outcome of a write that failed. @returns the error for the user */
async function endFailedWrite(
  writes: LoggedWrites,
  write: BegunWrite,
  { checkKeySupport }: Sender,
  error: unknown,
): Promise<unknown> {
  // Another error may have happened at any point.
  if (!(error instanceof ClaimsError)) {
    await writes.end(write, { type: "unknown", code: "unexpected" });
    return error;
  }
  const { code, status = null } = error;
  if (!isOutcomeUnknown(error)) {
    await writes.end(write, { type: "refused", code, status });
    return error;
  }
  if (isUnrecognized(error) || error.kind === "interrupted") {
    await writes.end(write, { type: "unknown", code });
    return rephraseError(error, {
      hint: isUnrecognized(error) ? hintToResolve({ ...write, code }) : RUN_AGAIN_IF_KEYS,
    });
  }
  // Undefined if the service does not respond any more: the next run finds out.
  const supportsIdempotencyKey = await checkKeySupport().catch(() => undefined);
  await writes.end(write, { type: "unknown", code, supportsIdempotencyKey });
  if (supportsIdempotencyKey !== false)
    return rephraseError(error, {
      hint: supportsIdempotencyKey ? RUN_AGAIN : RUN_AGAIN_IF_KEYS,
      retryable: supportsIdempotencyKey === true,
    });
  const { message, requestId, cause } = error;
  return needsDecisionError("outcome_unknown", `${message}; the service's contract has no Idempotency-Key`, {
    status: error.status,
    requestId,
    cause,
    jobId: error.jobId,
    hint: `${hintToResolve({ ...write, jobId: error.jobId ?? write.jobId, code })}; --resend-unknown sends it again`,
  });
}

/** Whether the service may have executed a write that failed with this error. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean =>
  code === "outcome_unknown" || code === "interrupted_unknown" || code === "response_unrecognized";

const RUN_AGAIN = "run the command again: it uses the same key; `claims history --unknown` lists such writes";

const RUN_AGAIN_IF_KEYS =
  "run the command again: it uses the same key, if the service keeps keys; `claims history --unknown` lists such writes";

/** The service sends JSON, or nothing. */
const FOREIGN_KINDS: readonly ClassifiedBody["kind"][] = ["page", "text", "binary"];

/** Why a write with a successful response needs a decision by a person (product.md §4, *Accepted*, *Environment*). */
async function findDoubt(
  writes: LoggedWrites,
  write: BegunWrite,
  response: LoggedResponse,
): Promise<ClaimsError | null> {
  const { jobId, idProblem, status } = response;
  const { file, operation } = write;
  const { environment } = writes.scope;
  const isSubmission = operation === SUBMIT_OPERATION;
  const failed = findStatedFailure(parseJsonBody(response), isSubmission);
  const body = classifyBody(response);
  const isForeign = FOREIGN_KINDS.includes(body.kind);
  const hasNoId = isSubmission && jobId === null;
  const isCreated = (status === 201 || status === 202) && body.kind === "object";
  // The id in a response that says that it failed may be that of the error.
  const shownId = failed === null ? jobId : write.jobId;
  const createError = (code: Doubt, message: string, wrapHint = (resolve: string) => resolve) =>
    needsDecisionError(code, message, {
      status,
      requestId: response.headers["x-request-id"],
      jobId: shownId ?? undefined,
      hint: wrapHint(hintToResolve({ ...write, jobId: shownId, code })),
    });
  // Something else than the claims service may have responded.
  if (status === 207 || failed !== null || (hasNoId ? !isCreated : !isSubmission && isForeign)) {
    const came =
      failed === null
        ? `${body.text} came${isForeign ? ", not a response of the claims service" : ""}`
        : `the response has status ${status}, and says that it failed (${quoteValue(failed)})`;
    const message = `${operation}: ${came}; the outcome is unknown, and it will not be sent again`;
    return createError("response_unrecognized", message, (resolve) => `check the base URL; ${resolve}`);
  }
  if (hasNoId) {
    const learn = "`claims mapping learn --submit FILE` learns the place of the id (once: --job-id-path)";
    const message = `the service accepted the submission, but ${idProblem}`;
    return createError("job_id_unknown", message, (resolve) => `${resolve}; or ${learn}`);
  }
  const other = findOtherEnvironment(operation, tryParseJson(response), environment);
  if (other !== undefined) {
    const place = `${jobId ? ` as job ${jobId}` : ""} in ${other}, but this command is for ${environment}`;
    return createError("accepted_elsewhere", `${operation}: the service accepted the write${place}`);
  }
  if (!isSubmission || jobId === null) return null;
  // A service that gives two files one id has one job for them, or responds with that of the first.
  const same = await writes.takeJob(jobId, write);
  if (same === null) return null;
  const owner = `${same.file ?? "another file"} (sent at ${formatTime(same.at)})`;
  const message = `${file ?? operation}: the service responded with job ${jobId}, which is that of ${owner}`;
  return createError("job_id_reused", message);
}
