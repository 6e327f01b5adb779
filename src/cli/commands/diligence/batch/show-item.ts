import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { unknownBeforeError } from "../../../write-log/decision.ts";
import { findDuplicate, resolveDuplicate } from "../../../write-log/duplicates.ts";
import { hasUnknownOutcome, type WriteRecord } from "../../../write-log/write-record.ts";
import { fetchJob, stillPendingError, unfinishedJobError } from "../job.ts";
import { type DescribedRow, describeRow } from "./describe-row.ts";
import { addError, addJob, type BatchItem, createInvalidItem, createItem } from "./item.ts";
import type { BatchRow } from "./row.ts";
import { type BatchContext, findFileError } from "./submit-item.ts";

const RUN_AGAIN = "run the batch again without --status";

/** What became of a row so far. Reads the logs, and the state of its job from the service. */
export async function showItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, progress } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  try {
    const described = await describeRow(context, row, batch.mapping);
    const item = await showDescribed(batch, row, described).finally(described.close);
    return progress.isStopped || item.error ? item : await showJob(batch, item);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return createItem(row, "not sent", { error });
  }
}

async function showDescribed(
  batch: BatchContext,
  row: BatchRow,
  described: DescribedRow,
): Promise<BatchItem> {
  const known = batch.previous.find(row, described.write.content);
  if (known === null) return showUnsent(batch, row, described);
  return known.outcome === "accepted" ? createItem(row, "already", known) : showUnaccepted(batch, row, known);
}

/** Adds the job of an item, unless there is none or the service does not respond. */
async function showJob({ service, progress }: BatchContext, item: BatchItem): Promise<BatchItem> {
  if (item.jobId === null) return item;
  try {
    const job = await fetchJob(service, item.jobId);
    progress.recordSuccess();
    const state = categorizeState(job.seen.state);
    if (state === "completed") return addJob(item, job, undefined);
    return addJob(item, job, state === "pending" ? stillPendingError(job) : unfinishedJobError(job));
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return addError(item, error);
  }
}

/** The item of a row that the next run sends, or does not send: the same file was accepted before, or it is invalid. */
async function showUnsent(
  batch: BatchContext,
  row: BatchRow,
  { submission, write }: DescribedRow,
): Promise<BatchItem> {
  const { context, onDuplicate, previous } = batch;
  const earlier = findDuplicate(previous.machineWritesLike(write), write);
  if (earlier && (onDuplicate === "fail" || (onDuplicate === "skip" && earlier.isEqual))) {
    try {
      const jobId = resolveDuplicate(context, onDuplicate, write, earlier);
      return createItem(row, "already", { jobId });
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      return createItem(row, "duplicate", { error });
    }
  }
  const invalid = batch.skipsInvalid ? await findFileError(context, row, submission) : null;
  if (invalid) return invalid;
  const changed = previous.findChanged(row, write.content);
  const message = changed ? `it changed since job ${changed.jobId}` : "the batch has not sent it";
  return createItem(row, "not sent", { error: notSubmittedError(message, RUN_AGAIN) });
}

function showUnaccepted({ context }: BatchContext, row: BatchRow, record: WriteRecord): BatchItem {
  const { code, key, outcome, pid, status } = record;
  if (outcome === "refused") {
    const message = status === null ? "it was not sent" : `the service refused it with status ${status}`;
    const error = new ClaimsError("rejected", code ?? "refused", message, { hint: RUN_AGAIN });
    return createItem(row, status === null ? "not sent" : "refused", { key, error });
  }
  if (hasUnknownOutcome(record, context)) {
    const error = unknownBeforeError(record, `${RUN_AGAIN}: it sends the same key, or explains why not`);
    return createItem(row, "unknown", { key, error });
  }
  const message = `process ${pid} is submitting it at this moment`;
  return createItem(row, "pending", {
    key,
    error: notSubmittedError(message, "wait for that process"),
  });
}

const notSubmittedError = (message: string, hint: string): ClaimsError =>
  new ClaimsError("pending", "not_submitted", message, { hint, retryable: true });
