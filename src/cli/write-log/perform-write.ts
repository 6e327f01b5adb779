import { randomUUID } from "node:crypto";
import { ClaimsError, unreachableError } from "../../domain/errors.ts";
import { formatTime } from "../../domain/times.ts";
import type { Context } from "../context.ts";
import { hintToResolve } from "./decide-write.ts";
import { finishWrite, isOutcomeUnknown } from "./finish-write.ts";
import type { LoggedWrites } from "./logged-writes.ts";
import { prepareToSend } from "./prepare-to-send.ts";
import type { WritePlan, WriteResult } from "./write-plan.ts";
import type { WriteRecord } from "./write-record.ts";

/**
 * Sends a write, unless it was sent before or may have been. The intent is on disk before the request (product.md §4), and
 * looking and writing it are one step under the lock of the log.
 */
export async function performWrite(
  context: Context,
  writes: LoggedWrites,
  plan: WritePlan,
): Promise<WriteResult> {
  let key = plan.idempotencyKey ?? plan.newKey ?? randomUUID();
  let repeated: WriteRecord | null = null;
  try {
    const step = await prepareToSend(context, writes, plan, key);
    if (step === null) return { outcome: "not_sent", error: null };
    if (step.kind === "use_earlier") return toEarlier(step.record, null);
    if (step.kind === "refuse") {
      const { error, record } = step;
      if (record === null) return { outcome: "refused", error };
      return record.outcome === "accepted"
        ? toEarlier(record, error)
        : { outcome: "unknown", key: record.key, error };
    }
    repeated = step.repeated;
    key = step.begun.key;
    const response = await finishWrite(context, writes, step.begun, plan);
    const { failure = null, jobId } = response;
    return { outcome: "accepted", jobId, key, response, error: failure };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return toFailure(error, repeated, key);
  }
}

const toEarlier = ({ jobId, key }: WriteRecord, error: ClaimsError | null): WriteResult => ({
  outcome: "earlier",
  jobId,
  key,
  error,
});

/** The service refused the repeat of a write whose outcome stays unknown. */
const describeOpenRepeat = (record: WriteRecord, error: ClaimsError): ClaimsError =>
  error.kind === "rejected" || error.kind === "not_found"
    ? unreachableError(
        "outcome_unknown",
        `${error.message}; the outcome of the attempt at ${formatTime(record.at)} stays unknown`,
        {
          status: error.status,
          requestId: error.requestId,
          hint: hintToResolve(record),
          cause: error,
        },
      )
    : error;

const REFUSING_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function toFailure(error: ClaimsError, repeated: WriteRecord | null, key: string): WriteResult {
  if (error.code === "log_line_unreadable") return { outcome: "not_sent", error };
  // The failure of a repeat says nothing about the attempt before it.
  if (isOutcomeUnknown(error)) return { outcome: "unknown", key, error };
  if (repeated !== null) return { outcome: "unknown", key, error: describeOpenRepeat(repeated, error) };
  const isRefused = error.kind !== "unreachable" && error.status !== undefined;
  return { outcome: isRefused || REFUSING_CODES.has(error.code) ? "refused" : "not_sent", error };
}
