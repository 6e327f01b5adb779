import { stat } from "node:fs/promises";
import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError, interruptedError, rejectedError } from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import { createLimit } from "../../../../domain/limit.ts";
import { formatTime } from "../../../../domain/times.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { withoutProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { isOutcomeUnknown } from "../../../write-log/finish-write.ts";
import { logJobState } from "../../../write-log/job-log.ts";
import type { WriteResult } from "../../../write-log/perform-write.ts";
import type { WriteRecord } from "../../../write-log/write-record.ts";
import { checkSubmission } from "../check-submission.ts";
import { describeSubmission } from "../describe-submission.ts";
import { fileEmptyError } from "../entry-file.ts";
import { followJob } from "../follow.ts";
import { fetchJob, isResumable, readWrittenJob, sendResume, unfinishedJobError } from "../job.ts";
import { pullJob } from "../pull-job.ts";
import { type SubmissionPolicy, submitFile } from "../submission.ts";
import { addJob, type BatchItem, type BatchStatus, createInvalidItem, createItem } from "./item.ts";
import type { BatchRow } from "./manifest.ts";
import type { BatchContext } from "./open-batch.ts";
import { fileBeingWrittenError } from "./watch-files.ts";

/**
 * Submits a row, unless an earlier run submitted it or may have.
 *
 * @param sentContent if this run sent it before, and has not learned the outcome: another content is not sent
 */
export const submitRow = (batch: BatchContext, row: BatchRow, sentContent?: string): Promise<BatchItem> =>
  withDescribedRow(batch, row, (described) => {
    const { contentLocks } = batch;
    const { content } = described.write;
    const lock = contentLocks.get(content) ?? createLimit(1);
    contentLocks.set(content, lock);
    const hasChanged = sentContent !== undefined && sentContent !== content;
    return lock(async () =>
      hasChanged ? createItem(row, "not sent") : submitDescribedRow(batch, row, described),
    );
  });

/** Checks all rows before one is sent. Null if all are valid and whole; otherwise the items of a batch that sends nothing. */
export async function refuseAll(batch: BatchContext) {
  const { rows } = batch.source;
  const checking = createLimit(batch.concurrency);
  const check = (row: BatchRow) =>
    withDescribedRow(batch, row, async ({ submission, write }) => {
      const policy = { ...batch.policy, check: row.check };
      await checkSubmission(withoutProgress(batch.context), submission, write, policy);
      return createItem(row, "not sent");
    });
  const items = await Promise.all(rows.map((row) => checking(() => check(row))));
  return items.some(({ error }) => error !== null) ? new Map(items.map((item) => [item.row, item])) : null;
}

/** Opens the file of a valid row for some work. */
async function withDescribedRow(
  batch: BatchContext,
  row: BatchRow,
  work: (described: DescribedRow) => Promise<BatchItem>,
): Promise<BatchItem> {
  if (row.errors.length > 0) return createInvalidItem(row);
  // After an outage, the logs still know what was sent before.
  if (batch.context.signal.aborted || batch.progress.isAbandoned) return createItem(row, "not sent");
  try {
    const described = await batch.describeLock(() => describeRow(batch.context, row));
    return await work(described).finally(described.submission.file.close);
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  }
}

async function submitDescribedRow(
  batch: BatchContext,
  row: BatchRow,
  { submission, write }: DescribedRow,
): Promise<BatchItem> {
  const { context, previous, progress, service } = batch;
  const changed = previous.findChanged(row, write.content);
  const policy: SubmissionPolicy = {
    ...batch.policy,
    check: batch.isChecked ? "off" : row.check,
    claimBatchResult: (record) => previous.claimResult(row, record),
    confirm: async () => {
      await batch.requireUnchanged(row);
      // A file that was sent under another name or by another command has not changed.
      if (changed) warnAboutChange(context, row, changed);
    },
    isStopped: () => progress.isStopped,
  };
  const result = await submitFile(withoutProgress(context), service, submission, policy, write);
  const { jobId, key, outcome } = result;
  const error = result.error && leaveToNextRun(row, result.error);
  if (error) progress.recordFailure(error);
  else if (outcome === "accepted") progress.recordSuccess();
  const { name: fileName, size: bytes } = submission.file;
  const sent = { bytes, fileName, content: write.content, isFromThisRun: outcome === "accepted" };
  return createItem(row, statusOf(result), { jobId, key, error, sent });
}

const STATUSES = {
  accepted: "accepted",
  earlier: "already",
  forgotten: "forgotten",
  unknown: "unknown",
  not_sent: "not sent",
  refused: "refused",
} as const;

/** Of what this machine refused. */
const STATUS_BY_CODE: ReadonlyMap<string, BatchStatus> = new Map([
  ["not_a_text_table", "invalid"],
  ["check_failed", "invalid"],
  ["duplicate", "duplicate"],
]);

function statusOf({ error, jobId, outcome }: WriteResult): BatchStatus {
  const isAccepted = outcome === "accepted" || outcome === "earlier";
  if (isAccepted && jobId === null) return "accepted, no id";
  return (outcome === "refused" && STATUS_BY_CODE.get(error?.code ?? "")) || STATUSES[outcome];
}

function toUnreadableItem({ context, progress }: BatchContext, row: BatchRow, cause: unknown) {
  // A file whose reading was interrupted rejects with the reason of the signal.
  const caught = context.signal.aborted && !(cause instanceof ClaimsError) ? interruptedError(cause) : cause;
  if (!(caught instanceof ClaimsError)) throw caught;
  const error = leaveToNextRun(row, caught);
  progress.recordFailure(error);
  const { code, kind, message } = error;
  if (kind === "rejected") return createItem(row, "invalid", { error });
  if (kind !== "usage") return createItem(row, "not sent", { error });
  const errors = [{ line: row.line, column: null, code, message }];
  const invalid = rejectedError("row_invalid", message, { hint: CORRECT_FILE, errors, cause });
  return createItem(row, "invalid", { error: invalid });
}

const leaveToNextRun = ({ name }: BatchRow, error: ClaimsError): ClaimsError =>
  error.code === "file_changed" ? fileBeingWrittenError(name, error) : error;

const CORRECT_FILE = "correct or move the file and run the batch again";

function warnAboutChange(context: Context, row: BatchRow, { at, jobId, outcome }: WriteRecord): void {
  const before =
    outcome === "accepted" ? `job ${jobId}` : `it was sent at ${formatTime(at)} with an unknown outcome`;
  printMessage(context, `warning: ${row.name} or its metadata changed since ${before}; submitting it again`);
}

type DescribedRow = Awaited<ReturnType<typeof describeRow>>;

async function describeRow(context: Context, row: BatchRow) {
  const { path: source, seller: sellerName, protestDocs } = row;
  const found = await stat(source).catch(() => null);
  // A pipe in a folder would be waited for.
  if (found && !found.isFile())
    throw rejectedError("row_invalid", `${row.name} is not a file`, { hint: CORRECT_FILE });
  const file = await openInput(context, source, { displayName: row.name });
  const submission = { file, source, sellerName, protestDocs };
  try {
    if (file.size === 0) throw fileEmptyError(file);
    return { submission, write: { ...(await describeSubmission(submission)), file: row.logName } };
  } catch (error) {
    await file.close();
    throw error;
  }
}

export async function followItem(
  { context, failOn, folderFor, global, isFollowed, previous, progress, service }: BatchContext,
  item: BatchItem,
): Promise<BatchItem> {
  const { error, jobId, sent } = item;
  if (!isFollowed || jobId === null || error !== null || progress.hasGivenUp) return item;
  // The job may go on after an interruption.
  const open = { ...item, status: "pending", state: "pending" } as const;
  if (context.signal.aborted) return { ...open, error: interruptedError(context.signal.reason) };
  const quietContext = withoutProgress(context);
  let followed = open as BatchItem;
  try {
    const options = { failOn, sent };
    const { job, report, failure, deadline } = await followJob(quietContext, service, global, jobId, options);
    followed = addJob(item, job, failure);
    const folder = report && folderFor(item);
    if (folder) {
      const supersededIds = previous.jobIdsOf(item.row);
      const pull = () => pullJob(quietContext, service, { job, report, folder, supersededIds });
      await service.client.outages.retryThroughOutage(pull, deadline);
    }
    const outcome = valueAt(report?.record, "rf8Review.outcome");
    return { ...followed, outcome: typeof outcome === "string" ? outcome : null };
  } catch (caught) {
    if (!(caught instanceof ClaimsError)) throw caught;
    return { ...followed, error: caught };
  }
}

/** Resumes the job of an item from an earlier run if it ended partial, or failed for another reason than its file. */
export async function resumeItem(batch: BatchContext, item: BatchItem): Promise<BatchItem> {
  const { context, policy, progress, service } = batch;
  const { jobId } = item;
  if (item.status !== "already" || jobId === null || progress.isStopped) return item;
  try {
    const job = await fetchJob(service, jobId);
    if (!isResumable(job)) {
      const hasFailed = categorizeState(job.seen.state) === "failed";
      return hasFailed ? addJob(item, job, unfinishedJobError(job)) : item;
    }
    const { keyLifetime, resendUnknown } = policy;
    const response = await sendResume(context, service, jobId, { resendUnknown, keyLifetime });
    if (response.failure) throw response.failure;
    progress.recordSuccess();
    const resumed = readWrittenJob(context, jobId, response);
    await logJobState(context, service, jobId, resumed.seen.state);
    const withJob = addJob(item, resumed, undefined);
    return withJob.status === "pending" ? { ...withJob, status: "resumed" } : withJob;
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return { ...item, error, ...(isOutcomeUnknown(error) && { status: "unknown", state: "unknown" }) };
  }
}
