import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError, unreachableError } from "../../../../domain/errors.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import { applyOnDuplicate } from "../../../write-log/duplicates.ts";
import { refuseResend } from "../../../write-log/resend.ts";
import { isInFlight, type WriteRecord } from "../../../write-log/write-record.ts";
import { fetchJob, requireSameFile, stillPendingError, unfinishedJobError } from "../job.ts";
import { describeRow } from "./describe-row.ts";
import { addError, addJob, type BatchItem, createInvalidItem, createItem } from "./item.ts";
import type { BatchRow } from "./row.ts";
import { type BatchContext, toUnreadableItem } from "./submit-item.ts";

const RUN_AGAIN = "run the batch again without --status";

/** What became of a row so far. Reads the logs, and the state of its job from the service. */
export async function showItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, progress } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  try {
    const { close, submission, write } = await describeRow(context, row, batch.mapping);
    await close();
    const records = await batch.writes.read(write);
    const known = batch.previous.find(row, write.content, records);
    const sent = { bytes: submission.file.size, fileName: null };
    const item =
      known === null
        ? showUnsent(batch, row, write, records)
        : known.outcome === "accepted"
          ? createItem(row, "already", { ...known, sent })
          : await showUnaccepted(batch, row, known);
    return progress.isStopped || item.error ? item : await showJob(batch, item);
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  }
}

/** Adds the job of an item, unless there is none or the service does not respond. */
async function showJob({ context, service, progress }: BatchContext, item: BatchItem): Promise<BatchItem> {
  if (item.jobId === null) return item;
  try {
    const job = await fetchJob(service, item.jobId);
    progress.recordSuccess();
    requireSameFile(context, job, item.sent);
    const state = categorizeState(job.seen.state);
    if (state === "completed") return addJob(item, job, undefined);
    return addJob(item, job, state === "pending" ? stillPendingError(job) : unfinishedJobError(job));
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return addError(item, error);
  }
}

/** The item of a row that the next run sends, or does not send because the same file was accepted before. */
function showUnsent(
  { context, onDuplicate, previous }: BatchContext,
  row: BatchRow,
  write: WriteDescription,
  records: readonly WriteRecord[],
): BatchItem {
  try {
    const action = applyOnDuplicate(context, onDuplicate, records, write);
    if (action.kind === "use") return createItem(row, "already", { jobId: action.earlier.jobId });
    if (action.kind === "wait")
      return createItem(row, "pending", { error: notSubmittedError(action.note, "wait for that process") });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return createItem(row, "duplicate", { error });
  }
  const changed = previous.findChanged(row, write.content);
  const message = changed ? `it changed since job ${changed.jobId}` : "the batch has not sent it";
  return createItem(row, "not sent", { error: notSubmittedError(message, RUN_AGAIN) });
}

async function showUnaccepted(batch: BatchContext, row: BatchRow, record: WriteRecord): Promise<BatchItem> {
  const { at, code, key, outcome, pid, status } = record;
  if (outcome === "refused") {
    const message = status === null ? "it was not sent" : `the service refused it with status ${status}`;
    const error = new ClaimsError("rejected", code ?? "refused", message, { hint: RUN_AGAIN });
    return createItem(row, status === null ? "not sent" : "refused", { key, error });
  }
  if (isInFlight(record, batch.context)) {
    const message = `process ${pid} is submitting it at this moment`;
    return createItem(row, "pending", { key, error: notSubmittedError(message, "wait for that process") });
  }
  try {
    await refuseResend(batch.context, record, batch, batch.isKeySupported);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return createItem(row, "unknown", { key, error });
  }
  const message = `the outcome of the write sent at ${at} under the key ${key} is unknown`;
  const error = unreachableError("outcome_unknown", message, {
    hint: `${RUN_AGAIN}: it sends the same key`,
    retryable: true,
  });
  return createItem(row, "unknown", { key, error });
}

const notSubmittedError = (message: string, hint: string): ClaimsError =>
  new ClaimsError("pending", "not_submitted", message, { hint, retryable: true });
