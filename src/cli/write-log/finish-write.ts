import { ClaimsError, needsDecisionError, rephraseError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { keepResponse } from "../files/save-response.ts";
import { findDoubt, type WriteResponse } from "./accepted-response.ts";
import { hintToResolve } from "./decide-write.ts";
import type { BegunWrite, LoggedWrites, Outcome } from "./logged-writes.ts";
import { formatSavedResponse } from "./saved-response.ts";
import type { LoggedResponse, WritePlan } from "./write-plan.ts";
import { isUnrecognized } from "./write-record.ts";

/** Sends a write whose intent is in the log, and logs what became of it. */
export async function finishWrite(
  context: Context,
  writes: LoggedWrites,
  write: BegunWrite,
  plan: WritePlan,
): Promise<LoggedResponse> {
  let response: WriteResponse;
  try {
    response = await plan.send(write.key);
  } catch (error) {
    throw await endFailedWrite(writes, write, plan, error);
  }
  const { jobId = write.jobId, status } = response;
  const doubt = findDoubt({ ...write, ...writes.scope }, { ...response, jobId });
  if (doubt === null) {
    const unlogged = await writes.end(write, { type: "accepted", jobId, status });
    return { ...response, jobId, failure: unlogged ? describeUnlogged(unlogged, jobId) : undefined };
  }
  const saved = await keepResponse(context, "write", formatSavedResponse(response));
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
  { isKeySupported }: WritePlan,
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
  if (isUnrecognized(error)) {
    await writes.end(write, { type: "unknown", code });
    return rephraseError(error, { hint: hintToResolve({ ...write, code }) });
  }
  if (error.kind === "interrupted") {
    await writes.end(write, { type: "unknown", code });
    return rephraseError(error, { hint: RUN_AGAIN_IF_KEYS });
  }
  // Null if the service does not respond any more: the next run finds out.
  const keepsKeys = await isKeySupported().catch(() => null);
  const outcome: Outcome = { type: "unknown", code };
  await writes.end(write, keepsKeys === null ? outcome : { ...outcome, keepsKeys });
  if (keepsKeys === true) return rephraseError(error, { hint: RUN_AGAIN, retryable: true });
  if (keepsKeys === null) return rephraseError(error, { hint: RUN_AGAIN_IF_KEYS, retryable: false });
  const { message, requestId, cause } = error;
  return needsDecisionError("outcome_unknown", `${message}; the service's contract has no Idempotency-Key`, {
    status: error.status,
    requestId,
    cause,
    hint: `${hintToResolve({ ...write, code })}; --resend-unknown sends it again`,
  });
}

/** Whether the service may have executed a write that failed with this error. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean =>
  code === "outcome_unknown" || code === "interrupted_unknown" || code === "response_unrecognized";

const RUN_AGAIN = "run the command again: it uses the same key; `claims history --unknown` lists such writes";

const RUN_AGAIN_IF_KEYS =
  "run the command again: it uses the same key, if the service keeps keys; `claims history --unknown` lists such writes";
