import { randomUUID } from "node:crypto";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import type { WriteScope } from "../../../write-log/scope.ts";
import { isOutcomeUnknown, logAndSend, warnAboutDuplicate } from "../../../write-log/send-logged.ts";
import type { WriteLog } from "../../../write-log/write-log.ts";
import type { WriteRecord } from "../../../write-log/write-record.ts";
import { noJobIdError } from "../no-job-id.ts";
import { type SubmissionInput, sendSubmission, toWrite } from "../submission.ts";
import type { BatchLog } from "./batch-log.ts";
import type { BatchProgress } from "./batch-progress.ts";
import { type BatchItem, createItem } from "./item.ts";
import type { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchRow } from "./row.ts";

/** What submitting needs beside the row. */
export interface BatchContext {
  readonly context: Context;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly legacy: boolean | undefined;
  /** Null for a sandbox that ends with this command. */
  readonly batchLog: BatchLog | null;
  /** Where each submission is written down. */
  readonly logs: readonly WriteLog[];
  /** What was known when the batch began. */
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
  /** Whether what is in doubt may be sent again under its key. */
  mayResend(): Promise<boolean>;
}

/** Submits a row, unless an earlier run has, or may have. */
export async function submitItem(desk: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { progress: course } = desk;
  if (course.isStopped) return createItem(row, "not sent");
  let isInDoubt = false;
  try {
    const file = await openInput(desk.context, row.path);
    const submission = { file, source: row.path, sellerName: row.seller, protestDocs: row.protestDocs };
    const write = { ...(await toWrite(submission)), file: row.logName };
    const known = desk.previous.find(row, write.content);
    if (known?.outcome === "accepted") return createItem(row, "already", { jobId: known.jobId });
    isInDoubt = known !== null && known.outcome !== "refused";
    if (known && isInDoubt && !(await desk.mayResend())) return outcomeUnknownItem(desk, row, known);
    // While this one was looked at, another may have ended the batch.
    if (course.isStopped) return createItem(row, isInDoubt ? "unknown" : "not sent");
    if (known === null) warnOfEarlierSubmissions(desk, row, write);
    return await send(desk, row, submission, write, known && isInDoubt ? known.key : randomUUID());
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    course.recordFailure(error);
    return createItem(row, isInDoubt ? "unknown" : statusAfter(error), { error });
  }
}

function statusAfter(error: ClaimsError): BatchItem["status"] {
  if (isOutcomeUnknown(error)) return "unknown";
  return error.status === undefined ? "not sent" : "refused";
}

async function send(
  { context, service, scope, legacy, logs: journals, progress: course }: BatchContext,
  row: BatchRow,
  submission: SubmissionInput,
  write: WriteDescription,
  key: string,
): Promise<BatchItem> {
  const answer = await logAndSend(context, journals, { ...write, ...scope, key }, () =>
    sendSubmission(service, submission, { legacy, idempotencyKey: key }),
  );
  course.recordSuccess();
  const jobId = write.jobIdOf(answer);
  if (jobId !== null) return createItem(row, "accepted", { jobId });
  const error = await noJobIdError(context, answer);
  course.failures.push(error);
  return createItem(row, "accepted", { error });
}

/** A service that does not promise to honour the key could make a second job of it. */
function outcomeUnknownItem(
  { progress: course }: BatchContext,
  row: BatchRow,
  { at, key }: WriteRecord,
): BatchItem {
  const error = new ClaimsError(
    "unreachable",
    "outcome_unknown",
    `${row.name} was sent at ${at} under the key ${key}, and whether it was carried out is unknown`,
    { hint: "look for it on the service; --resend-unknown sends it again, and may make a second job of it" },
  );
  course.failures.push(error);
  return createItem(row, "unknown", { error });
}

function warnOfEarlierSubmissions(
  { context, batchLog: ledger, previous: earlier }: BatchContext,
  row: BatchRow,
  write: WriteDescription,
): void {
  const other = ledger?.findChanged(row.logName, write.content);
  if (other) {
    printMessage(
      context,
      `${row.name}, or what is said of it, has changed since job ${other.jobId}; it is submitted anew`,
    );
  }
  warnAboutDuplicate(context, write, earlier.withContent(write.content), null);
}
