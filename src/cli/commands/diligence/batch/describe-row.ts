import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import type { WriteDescription } from "../../../write-log/describe-write.ts";
import { mapFile } from "../mapped-file.ts";
import type { MappingRequest } from "../mapping-options.ts";
import { describeSubmission, type SubmissionInput } from "../submission.ts";
import type { BatchRow } from "./row.ts";

/** A row as a submission, and as the write that the logs record. */
export interface DescribedRow {
  readonly submission: SubmissionInput;
  readonly write: WriteDescription;
  /** Removes the copy of a file that was mapped. */
  close(): Promise<void>;
}

/** Reads the file of a row to describe it. */
export async function describeRow(
  context: Context,
  row: BatchRow,
  mapping: MappingRequest | null,
): Promise<DescribedRow> {
  const original = await openInput(context, row.path, { displayName: row.name });
  const { close, file, mapped } = await mapFile(context, original, mapping);
  const { path: source, seller: sellerName, protestDocs } = row;
  const submission = { file, mapped, source, sellerName, protestDocs };
  try {
    return { submission, write: { ...(await describeSubmission(submission)), file: row.logName }, close };
  } catch (error) {
    await close();
    throw error;
  }
}
