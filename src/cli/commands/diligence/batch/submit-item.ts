import { randomUUID } from "node:crypto";
import { ClaimsError, unreachableError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import { isOutcomeUnknown, logAndSend, warnAboutDuplicate } from "../../../write-log/send-logged.ts";
import type { WriteLog } from "../../../write-log/write-log.ts";
import type { WriteScope } from "../../../write-log/write-record.ts";
import { describeSubmission, noJobIdError, type SubmissionInput, sendSubmission } from "../submission.ts";
import type { BatchProgress } from "./batch-progress.ts";
import { type BatchItem, createItem } from "./item.ts";
import type { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchRow } from "./row.ts";

/** What the submissions of a batch share. */
export interface BatchContext {
  readonly context: Context;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly legacy: boolean | undefined;
  /** The logs that record each submission. */
  readonly logs: readonly WriteLog[];
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
  /** Whether a submission with unknown outcome may be sent again under its key. */
  canResend(): Promise<boolean>;
}

/** Submits a row, unless an earlier run submitted it or may have. */
export async function submitItem(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, previous, progress } = batch;
  if (progress.isStopped) return createItem(row, "not sent");
  let isUnknown = false;
  try {
    const file = await openInput(context, row.path);
    const submission = { file, source: row.path, sellerName: row.seller, protestDocs: row.protestDocs };
    const write = { ...(await describeSubmission(submission)), file: row.logName };
    const known = previous.find(row, write.content);
    if (known?.outcome === "accepted") return createItem(row, "already", { jobId: known.jobId });
    isUnknown = known !== null && known.outcome !== "refused";
    if (known && isUnknown && !(await batch.canResend())) {
      // The service may ignore the key and create a second job.
      const error = unreachableError(
        "outcome_unknown",
        `the outcome of ${row.name}, sent at ${known.at} under the key ${known.key}, is unknown`,
        { hint: "look for it on the service; --resend-unknown sends it again and may create a second job" },
      );
      progress.failures.push(error);
      return createItem(row, "unknown", { error });
    }
    // Another row may have stopped the batch in the meantime.
    if (progress.isStopped) return createItem(row, isUnknown ? "unknown" : "not sent");
    if (known === null) warnAboutPrevious(batch, row, write);
    return await send(batch, row, submission, write, known && isUnknown ? known.key : randomUUID());
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return createItem(row, isUnknown ? "unknown" : statusAfter(error), { error });
  }
}

function statusAfter(error: ClaimsError): BatchItem["status"] {
  if (isOutcomeUnknown(error)) return "unknown";
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
  if (jobId !== null) return createItem(row, "accepted", { jobId });
  const error = await noJobIdError(context, response);
  progress.failures.push(error);
  return createItem(row, "accepted", { error });
}

function warnAboutPrevious(
  { context, previous }: BatchContext,
  row: BatchRow,
  write: WriteDescription,
): void {
  const changed = previous.findChanged(row, write.content);
  if (changed) {
    const message = `${row.name} or its metadata changed since job ${changed.jobId}; submitting it again`;
    printMessage(context, message);
  }
  warnAboutDuplicate(context, write, previous.withContent(write.content), null);
}
