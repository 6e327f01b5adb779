import { randomUUID } from "node:crypto";
import { timeToDay } from "../../../../domain/entries/dates.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { ClaimsError, interruptedError, unreachableError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import {
  type EarlierSubmission,
  findDuplicate,
  type OnDuplicate,
  resolveDuplicate,
  warnAboutSubmissionInFlight,
} from "../../../write-log/duplicates.ts";
import { isOutcomeUnknown, logAndSend } from "../../../write-log/send-logged.ts";
import type { WriteLog } from "../../../write-log/write-log.ts";
import type { WriteScope } from "../../../write-log/write-record.ts";
import { type CheckMode, checkSubmission, toEntryFileFailure } from "../check-submission.ts";
import type { MappingRequest } from "../mapping-options.ts";
import { noJobIdError, type SubmissionInput, sendSubmission } from "../submission.ts";
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
export interface BatchContext {
  readonly context: Context;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly check: CheckMode;
  readonly mapping: MappingRequest | null;
  readonly legacy: boolean | undefined;
  readonly onDuplicate: OnDuplicate;
  /** Does not send a file that cannot be read as entries. */
  readonly skipsInvalid: boolean;
  readonly equalFiles: EqualFiles<BatchItem>;
  /** The logs that record each submission. */
  readonly logs: readonly WriteLog[];
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
  /** Whether a submission with unknown outcome may be sent again under its key. */
  canResend(): Promise<boolean>;
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
    // The file cannot be read or mapped.
    return toFailedItem(batch, row, error, "not sent");
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
  const { context, previous, progress } = batch;
  const known = previous.find(row, write.content);
  if (known?.outcome === "accepted") return createItem(row, "already", known);
  const isUnknown = known !== null && known.outcome !== "refused";
  try {
    if (known && isUnknown && !(await batch.canResend())) {
      // The service may ignore the key and create a second job.
      const error = unreachableError(
        "outcome_unknown",
        `the outcome of ${row.name}, sent at ${known.at} under the key ${known.key}, is unknown`,
        { hint: "look for it on the service; --resend-unknown sends it again and may create a second job" },
      );
      return createItem(row, "unknown", { key: known.key, error });
    }
    // Another row may have stopped the batch in the meantime.
    if (progress.isStopped) return createItem(row, isUnknown ? "unknown" : "not sent");
    if (!isUnknown) {
      if (known === null) warnAboutChange(batch, row, write);
      const earlier = findEqual(row, equal) ?? findDuplicate(previous.machineWritesLike(write), write);
      const jobId = resolveDuplicate(context, batch.onDuplicate, write, earlier);
      if (jobId !== null) return createItem(row, "already", { jobId });
      const invalid = batch.skipsInvalid ? await findFileError(context, row, submission) : null;
      if (invalid) return invalid;
      await checkSubmission(context, submission, batch.check);
    }
    return await send(batch, row, submission, write, known && isUnknown ? known.key : randomUUID());
  } catch (error) {
    return toFailedItem(batch, row, error, isUnknown ? "unknown" : undefined);
  }
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

/** @param status Default: that of the error */
function toFailedItem(
  { context, progress }: BatchContext,
  row: BatchRow,
  cause: unknown,
  status?: BatchStatus,
): BatchItem {
  // A file whose reading was interrupted rejects with the reason of the signal.
  const error = context.signal.aborted && !(cause instanceof ClaimsError) ? interruptedError(cause) : cause;
  if (!(error instanceof ClaimsError)) throw error;
  progress.recordFailure(error);
  return createItem(row, status ?? statusAfter(error), { error });
}

const INVALID_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function statusAfter(error: ClaimsError): BatchStatus {
  if (isOutcomeUnknown(error)) return "unknown";
  if (INVALID_CODES.has(error.code)) return "invalid";
  if (error.code === "duplicate") return "duplicate";
  return error.status === undefined ? "not sent" : "refused";
}

async function send(
  { context, service, scope, legacy, logs, progress }: BatchContext,
  row: BatchRow,
  submission: SubmissionInput,
  write: WriteDescription,
  key: string,
): Promise<BatchItem> {
  const response = await logAndSend(context, logs, { ...write, ...scope, key }, () =>
    sendSubmission(service, submission, { legacy, idempotencyKey: key }),
  );
  progress.recordSuccess();
  const jobId = write.jobIdOf(response);
  const error = jobId === null ? await noJobIdError(context, response) : null;
  return createItem(row, "accepted", { jobId, key, error, isNew: true });
}

function warnAboutChange({ context, previous }: BatchContext, row: BatchRow, write: WriteDescription): void {
  const changed = previous.findChanged(row, write.content);
  if (changed) {
    const message = `warning: ${row.name} or its metadata changed since job ${changed.jobId}; submitting it again`;
    printMessage(context, message);
  }
  warnAboutSubmissionInFlight(context, previous.machineWritesLike(write), write);
}
