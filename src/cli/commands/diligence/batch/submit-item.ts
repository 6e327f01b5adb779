import { ClaimsError, interruptedError, rejectedError } from "../../../../domain/errors.ts";
import { formatTime } from "../../../../domain/times.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { withoutProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteResult } from "../../../write-log/perform-write.ts";
import type { WriteRecord } from "../../../write-log/write-record.ts";
import { checkSubmission } from "../check-submission.ts";
import { describeSubmission, submitFile } from "../submission.ts";
import { type BatchItem, type BatchStatus, createInvalidItem, createItem } from "./item.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import type { BatchContext } from "./open-batch.ts";
import type { BatchRow } from "./row.ts";

/** Submits a row, unless an earlier run submitted it or may have. */
export async function submitItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, equalSubmissions, progress } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  if (progress.isStopped) return createItem(row, "not sent");
  const described = describeRow(context, row);
  try {
    const content = described.then(({ write }) => write.content);
    return await equalSubmissions.run(content, async () => submitDescribed(batch, row, await described));
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  } finally {
    await described.then(
      ({ submission }) => submission.file.close(),
      () => {},
    );
  }
}

async function submitDescribed(batch: BatchContext, row: BatchRow, { submission, write }: DescribedRow) {
  const { context, previous, progress, service } = batch;
  const { unknownContents } = batch;
  // The file changed since this run sent it, and the outcome of that is the result of the row.
  if ((unknownContents.get(row) ?? write.content) !== write.content) return createItem(row, "not sent");
  const changed = previous.findChanged(row, write.content);
  const result = await submitFile(withoutProgress(context), service, submission, write, {
    ...batch,
    check: batch.isChecked ? "off" : row.check,
    isResultOfBatch: (record) => previous.isResultOf(row, record),
    // A file that was sent under another name or by another command has not changed.
    confirm: async () => {
      if (changed) warnAboutChange(context, row, changed);
    },
    isStopped: () => progress.isStopped,
  });
  const { error, outcome } = result;
  if (outcome === "unknown") unknownContents.set(row, write.content);
  if (error) progress.recordFailure(error);
  else if (outcome === "accepted") progress.recordSuccess();
  const { jobId = null, key = null } = { jobId: null, key: null, ...result };
  return createItem(row, statusOf(result), {
    jobId,
    key,
    error,
    sent: {
      bytes: submission.file.size,
      fileName: submission.file.name,
      isEarlier: outcome !== "accepted",
    },
  });
}

const STATUSES = {
  accepted: "accepted",
  earlier: "already",
  unknown: "unknown",
  not_sent: "not sent",
} as const;

const INVALID_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function statusOf(result: WriteResult): BatchStatus {
  if (result.outcome !== "refused") return STATUSES[result.outcome];
  const { code } = result.error;
  if (INVALID_CODES.has(code)) return "invalid";
  return code === "duplicate" ? "duplicate" : "refused";
}

function toUnreadableItem({ context, progress }: BatchContext, row: BatchRow, cause: unknown) {
  // A file whose reading was interrupted rejects with the reason of the signal.
  const error = context.signal.aborted && !(cause instanceof ClaimsError) ? interruptedError(cause) : cause;
  if (!(error instanceof ClaimsError)) throw error;
  progress.recordFailure(error);
  const { hint, kind, message } = error;
  if (kind === "rejected") return createItem(row, "invalid", { error });
  if (kind !== "usage") return createItem(row, "not sent", { error });
  return createItem(row, "invalid", { error: rejectedError("row_invalid", message, { hint, cause }) });
}

function warnAboutChange(context: Context, row: BatchRow, { at, jobId, outcome }: WriteRecord): void {
  const before =
    outcome === "accepted" ? `job ${jobId}` : `it was sent at ${formatTime(at)} with an unknown outcome`;
  printMessage(context, `warning: ${row.name} or its metadata changed since ${before}; submitting it again`);
}

type DescribedRow = Awaited<ReturnType<typeof describeRow>>;

async function describeRow(context: Context, row: BatchRow) {
  const file = await openInput(context, row.path, { displayName: row.name });
  const { path: source, seller: sellerName, protestDocs } = row;
  const submission = { file, source, sellerName, protestDocs };
  try {
    return { submission, write: { ...(await describeSubmission(submission)), file: row.logName } };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Checks all rows before one is sent. Null if all are valid; otherwise the items of a batch that sends nothing. */
export async function refuseAll(batch: BatchContext, rows: readonly BatchRow[], concurrency: number) {
  const items = new Map<BatchRow, BatchItem>();
  for await (const item of mapConcurrently(rows, concurrency, (row) => checkRow(batch, row)))
    items.set(item.row, item);
  return [...items.values()].some(({ status }) => status === "invalid") ? items : null;
}

async function checkRow(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  try {
    const { submission } = await describeRow(context, row);
    const options = { ...batch, check: row.check };
    await checkSubmission(withoutProgress(context), submission, options).finally(submission.file.close);
    return createItem(row, "not sent");
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  }
}
