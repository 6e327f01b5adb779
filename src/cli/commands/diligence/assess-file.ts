import { Assessment } from "../../../domain/diligence/assessment.ts";
import type { AssessmentOptions } from "../../../domain/diligence/assessment-options.ts";
import { EncodingCheck } from "../../../domain/entries/csv/encoding-check.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { startProgress } from "../../output/progress.ts";

const LINE_FEED = 0x0a;

/** Small, so that the texts and entries of a piece are gone before they cost the garbage collector more than their rows. */
const PIECE_BYTES = 1 << 16;

/**
 * Reads it twice, as the sandbox does (diligence-model §1).
 *
 * @param maxBytes of the rows
 * @throws EntryFileError
 */
export async function assessFile(
  context: Context,
  file: InputFile,
  options: AssessmentOptions,
  maxBytes = Number.POSITIVE_INFINITY,
) {
  const { displayName } = file;
  const progress = startProgress(context.stderr, `reading ${displayName}`);
  const assessment = new Assessment(options);
  try {
    const encoding = new EncodingCheck();
    for await (const bytes of file.chunks()) encoding.push(bytes);
    encoding.end();
    let left = maxBytes;
    for await (const bytes of file.chunks()) {
      // The line may have begun in an earlier chunk: without its end it would be a row with too few cells.
      const lineEnd = bytes.length > left ? bytes.indexOf(LINE_FEED, left) : -1;
      const end = lineEnd === -1 ? bytes.length : lineEnd + 1;
      for (let at = 0; at < end; at += PIECE_BYTES)
        assessment.push(bytes.subarray(at, Math.min(at + PIECE_BYTES, end)));
      if (lineEnd !== -1) break;
      left = Math.max(0, left - bytes.length);
      progress.update(`${displayName}: ${formatCount(assessment.progress.rowsProcessed, "row")}`);
      context.signal.throwIfAborted();
    }
    for (const _ of assessment.finish()) context.signal.throwIfAborted();
    return { report: assessment.report(), rejectedGroups: assessment.rejectedGroups() };
  } finally {
    progress.stop();
  }
}
