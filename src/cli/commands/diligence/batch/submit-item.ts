import { timeToDay } from "../../../../domain/entries/dates.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { ClaimsError, interruptedError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import type { EarlierSubmission } from "../../../write-log/duplicates.ts";
import { toEntryFileFailure } from "../entry-file-failure.ts";
import type { MappingRequest } from "../mapping-options.ts";
import type { SubmissionInput } from "../submission.ts";
import { type SubmissionPolicy, type SubmissionResult, submitFile } from "../submit-file.ts";
import type { BatchProgress } from "./batch-progress.ts";
import { type DescribedRow, describeRow } from "./describe-row.ts";
import type { EqualFiles } from "./equal-files.ts";
import {
  type BatchItem,
  type BatchStatus,
  CORRECT_FILE,
  createFileReason,
  createInvalidItem,
  createItem,
} from "./item.ts";
import type { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchRow } from "./row.ts";

/** What the submissions of a batch share. */
export interface BatchContext extends SubmissionPolicy {
  readonly context: Context;
  readonly service: Service;
  readonly mapping: MappingRequest | null;
  /** Does not send a file that cannot be read as entries. */
  readonly skipsInvalid: boolean;
  readonly equalFiles: EqualFiles<BatchItem>;
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
}

/** Submits a row, unless an earlier run submitted it or may have. */
export async function submitItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, equalFiles, progress } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  if (progress.isStopped) return createItem(row, "not sent");
  const described = describeRow(context, row, batch.mapping);
  try {
    const hash = described.then(({ write }) => write.fileSha256 ?? "");
    return await equalFiles.run(hash, async (earlier) =>
      submitDescribed(batch, row, await described, earlier),
    );
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  } finally {
    await described.then(
      ({ close }) => close(),
      () => {},
    );
  }
}

/** @param equal the items of the batch with the same file, so far */
async function submitDescribed(
  batch: BatchContext,
  row: BatchRow,
  { submission, write }: DescribedRow,
  equal: readonly BatchItem[],
): Promise<BatchItem> {
  const { context, previous, progress, service } = batch;
  const known = previous.find(row, write.content);
  if (known === null) warnAboutChange(batch, row, write);
  const isNew = known === null || known.outcome === "refused";
  const invalid = batch.skipsInvalid && isNew ? await findFileError(context, row, submission) : null;
  if (invalid) return invalid;
  const earlier = { known, similar: previous.machineWritesLike(write), equal: findEqual(row, equal) };
  const policy = { ...batch, isStopped: () => progress.isStopped };
  const result = await submitFile(context, service, submission, write, earlier, policy);
  const { error, outcome } = result;
  if (error) progress.recordFailure(error);
  else if (outcome === "accepted") progress.recordSuccess();
  const { jobId = null, key = null } = { jobId: null, key: null, ...result };
  return createItem(row, statusOf(result), { jobId, key, error, isNew: outcome === "accepted" });
}

const STATUSES = {
  accepted: "accepted",
  earlier: "already",
  unknown: "unknown",
  not_sent: "not sent",
} as const;

const INVALID_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function statusOf(result: SubmissionResult): BatchStatus {
  if (result.outcome !== "refused") return STATUSES[result.outcome];
  const { code } = result.error;
  if (INVALID_CODES.has(code)) return "invalid";
  return code === "duplicate" ? "duplicate" : "refused";
}

/** The item of a file that cannot be read as entries, or null. */
export async function findFileError(
  context: Context,
  row: BatchRow,
  { file, sellerName, protestDocs }: SubmissionInput,
): Promise<BatchItem | null> {
  const { assessFile } = await import("../assess-file.ts");
  try {
    const asOf = timeToDay(context.now());
    await assessFile(context, file, { asOf, sellerName, requiresProtestDocumentation: protestDocs });
    return null;
  } catch (cause) {
    if (!(cause instanceof EntryFileError)) throw cause;
    const error = await toEntryFileFailure(file, cause);
    const { code, line, message } = cause;
    return createItem(row, "invalid", {
      error,
      reason: createFileReason({ code, line, message, hint: CORRECT_FILE }),
    });
  }
}

/** An accepted row of this batch with the same file. A row of another seller counts, too (product.md §4). */
function findEqual(row: BatchRow, equal: readonly BatchItem[]): EarlierSubmission | null {
  for (const { row: other, jobId, status } of equal) {
    if (status !== "accepted" && status !== "already") continue;
    const isEqual = other.seller === row.seller;
    if (!isEqual || other.protestDocs === row.protestDocs)
      return { file: other.logName, seller: other.seller, jobId, isEqual };
  }
  return null;
}

/** The item of a row whose file cannot be read or mapped. */
function toUnreadableItem({ context, progress }: BatchContext, row: BatchRow, cause: unknown): BatchItem {
  // A file whose reading was interrupted rejects with the reason of the signal.
  const error = context.signal.aborted && !(cause instanceof ClaimsError) ? interruptedError(cause) : cause;
  if (!(error instanceof ClaimsError)) throw error;
  progress.recordFailure(error);
  return createItem(row, "not sent", { error });
}

function warnAboutChange({ context, previous }: BatchContext, row: BatchRow, write: WriteDescription): void {
  const changed = previous.findChanged(row, write.content);
  if (changed === null) return;
  const message = `warning: ${row.name} or its metadata changed since job ${changed.jobId}; submitting it again`;
  printMessage(context, message);
}
