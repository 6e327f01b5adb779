import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import { describeSubmission, type SubmissionInput } from "../submission.ts";
import type { BatchRow } from "./row.ts";

/** A row as a submission, and as the write that the logs record. */
export interface DescribedRow {
  readonly submission: SubmissionInput;
  readonly write: WriteDescription;
}

/** Reads the file of a row to describe it. */
export async function describeRow(context: Context, row: BatchRow): Promise<DescribedRow> {
  const file = await openInput(context, row.path, { displayName: row.name });
  const submission = { file, source: row.path, sellerName: row.seller, protestDocs: row.protestDocs };
  return { submission, write: { ...(await describeSubmission(submission)), file: row.logName } };
}
