import { Assessment } from "../../../domain/diligence/assessment.ts";
import type { AssessmentOptions } from "../../../domain/diligence/assessment-options.ts";
import { EncodingCheck } from "../../../domain/entries/csv/encoding-check.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { startProgress } from "../../output/progress.ts";

/** Small, so that the texts and entries of a piece are gone before they cost the garbage collector more than their rows. */
const PIECE_BYTES = 1 << 16;

/** Reads it twice, as the sandbox does (diligence-model §1). @throws EntryFileError */
export async function assessFile(context: Context, file: InputFile, options: AssessmentOptions) {
  const { displayName } = file;
  const progress = startProgress(context.stderr, `reading ${displayName}`);
  const assessment = new Assessment(options);
  try {
    const encoding = new EncodingCheck();
    for await (const bytes of file.chunks()) {
      encoding.push(bytes);
      context.signal.throwIfAborted();
    }
    encoding.end();
    for await (const bytes of file.chunks()) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        assessment.push(bytes.subarray(at, at + PIECE_BYTES));
      progress.update(`${displayName}: ${formatCount(assessment.progress.rowsProcessed, "row")}`);
      context.signal.throwIfAborted();
    }
    for (const _ of assessment.finish()) context.signal.throwIfAborted();
    return { report: assessment.report(), rejectedGroups: assessment.rejectedGroups() };
  } finally {
    progress.stop();
  }
}
