import { randomUUID } from "node:crypto";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../input-file.ts";
import type { WriteRecord } from "../../../journal/entry.ts";
import type { WriteLog } from "../../../journal/journal.ts";
import { isOutcomeUnknown, logAndSend, type WriteDescription, warnAboutDuplicate } from "../../../journal/journaled.ts";
import type { WriteScope } from "../../../journal/scope.ts";
import { printMessage } from "../../../say.ts";
import type { Service } from "../../../service.ts";
import { noJobId } from "../no-job-id.ts";
import { type Submission, sendSubmission, submissionWrite } from "../submission.ts";
import type { Course } from "./course.ts";
import type { Earlier } from "./earlier.ts";
import { type BatchItem, item } from "./item.ts";
import type { Ledger } from "./ledger.ts";
import type { BatchRow } from "./row.ts";

/** What submitting needs beside the row. */
export interface Desk {
  readonly context: Context;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly legacy: boolean | undefined;
  /** Null for a sandbox that ends with this command. */
  readonly ledger: Ledger | null;
  /** Where each submission is written down. */
  readonly journals: readonly WriteLog[];
  /** What was known when the batch began. */
  readonly earlier: Earlier;
  readonly course: Course;
  /** Whether what is in doubt may be sent again under its key. */
  mayResend(): Promise<boolean>;
}

/** Submits a row, unless an earlier run has, or may have. */
export async function submitItem(desk: Desk, row: BatchRow): Promise<BatchItem> {
  const { course } = desk;
  if (course.isOver) return item(row, "not sent");
  let isInDoubt = false;
  try {
    const file = await openInput(desk.context, row.path);
    const submission = { file, source: row.path, sellerName: row.seller, protestDocs: row.protestDocs };
    const write = { ...(await submissionWrite(submission)), file: row.filedAs };
    const known = desk.earlier.find(row, write.content);
    if (known?.outcome === "accepted") return item(row, "already", { jobId: known.jobId });
    isInDoubt = known !== null && known.outcome !== "refused";
    if (known && isInDoubt && !(await desk.mayResend())) return held(desk, row, known);
    // While this one was looked at, another may have ended the batch.
    if (course.isOver) return item(row, isInDoubt ? "unknown" : "not sent");
    if (known === null) tellOfOthers(desk, row, write);
    return await send(desk, row, submission, write, known && isInDoubt ? known.key : randomUUID());
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    course.failed(error);
    return item(row, isInDoubt ? "unknown" : standingAfter(error), { error });
  }
}

function standingAfter(error: ClaimsError): BatchItem["standing"] {
  if (isOutcomeUnknown(error)) return "unknown";
  return error.status === undefined ? "not sent" : "refused";
}

async function send(
  { context, service, scope, legacy, journals, course }: Desk,
  row: BatchRow,
  submission: Submission,
  write: WriteDescription,
  key: string,
): Promise<BatchItem> {
  const answer = await logAndSend(context, journals, { ...write, ...scope, key }, () =>
    sendSubmission(service, submission, { legacy, idempotencyKey: key }),
  );
  course.succeeded();
  const jobId = write.jobIdOf(answer);
  if (jobId !== null) return item(row, "accepted", { jobId });
  const error = await noJobId(context, answer);
  course.failures.push(error);
  return item(row, "accepted", { error });
}

/** A service that does not promise to honour the key could make a second job of it. */
function held({ course }: Desk, row: BatchRow, { at, key }: WriteRecord): BatchItem {
  const error = new ClaimsError(
    "unreachable",
    "outcome_unknown",
    `${row.name} was sent at ${at} under the key ${key}, and whether it was carried out is unknown`,
    { hint: "look for it on the service; --resend-unknown sends it again, and may make a second job of it" },
  );
  course.failures.push(error);
  return item(row, "unknown", { error });
}

function tellOfOthers({ context, ledger, earlier }: Desk, row: BatchRow, write: WriteDescription): void {
  const other = ledger?.findOther(row.filedAs, write.content);
  if (other) {
    printMessage(
      context,
      `${row.name}, or what is said of it, has changed since job ${other.jobId}; it is submitted anew`,
    );
  }
  warnAboutDuplicate(context, write, earlier.ofContent(write.content), null);
}
