import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError, unreachableError } from "../../../../domain/errors.ts";
import { refuseResend } from "../../../write-log/decision.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import { isInFlight, type WriteRecord } from "../../../write-log/write-record.ts";
import { fetchJob, requireSameFile, stillPendingError, unfinishedJobError } from "../job.ts";
import { findStep } from "../submit-file.ts";
import { addError, addJob, type BatchItem, createInvalidItem, createItem } from "./item.ts";
import type { BatchRow } from "./row.ts";
import { type BatchContext, describeRow, toUnreadableItem } from "./submit-item.ts";

const RUN_AGAIN = "run the batch again without --status";

/** What became of a row so far. Reads the logs, and the state of its job from the service. */
export async function showItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  if (row.errors.length > 0) return createInvalidItem(row);
  try {
    const { close, submission, write } = await describeRow(batch.context, row, batch.mapping);
    await close();
    const item = await showWrite(batch, row, write);
    const sent = { bytes: submission.file.size, fileName: null };
    return batch.progress.isStopped || item.error ? item : await showJob(batch, { ...item, sent });
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

/** The item of a row by what the next run would do with it. */
async function showWrite(batch: BatchContext, row: BatchRow, write: WriteDescription): Promise<BatchItem> {
  const { context, previous } = batch;
  const records = await batch.writes.read(write);
  const known = previous.find(row, write.content, records);
  try {
    const step = findStep(context, records, write, "", { ...batch, findKnown: () => known });
    const sender = step.kind === "resend" && isInFlight(step.unknown, context) ? step.unknown : null;
    if (step.kind === "use") return createItem(row, "already", step.earlier);
    if (sender || step.kind === "wait") {
      const message = sender
        ? `process ${sender.pid} is submitting it at this moment`
        : "another command sends it";
      const error = notSubmittedError(message, "wait for that process");
      return createItem(row, "pending", { key: sender?.key ?? null, error });
    }
    if (step.kind === "resend") return await showUnknown(batch, row, step.unknown);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return createItem(row, "duplicate", { error });
  }
  if (known) {
    const { code, key, status } = known;
    const message = status === null ? "it was not sent" : `the service refused it with status ${status}`;
    const error = new ClaimsError("rejected", code ?? "refused", message, { hint: RUN_AGAIN });
    return createItem(row, status === null ? "not sent" : "refused", { key, error });
  }
  const changed = previous.findChanged(row, write.content);
  const message = changed ? `it changed since job ${changed.jobId}` : "the batch has not sent it";
  return createItem(row, "not sent", { error: notSubmittedError(message, RUN_AGAIN) });
}

async function showUnknown(batch: BatchContext, row: BatchRow, record: WriteRecord): Promise<BatchItem> {
  const { at, key } = record;
  const message = `the outcome of the write sent at ${at} under the key ${key} is unknown`;
  const hint = `${RUN_AGAIN}: it sends the same key`;
  const error = unreachableError("outcome_unknown", message, { hint, retryable: true });
  const refusal = await refuseResend(batch.context, record, batch, batch.isKeySupported).catch(
    (cause) => cause,
  );
  if (refusal && !(refusal instanceof ClaimsError)) throw refusal;
  return createItem(row, "unknown", { key, error: refusal ?? error });
}

const notSubmittedError = (message: string, hint: string): ClaimsError =>
  new ClaimsError("pending", "not_submitted", message, { hint, retryable: true });
