import { Assessment, type AssessmentOptions } from "../../../../domain/diligence/assessment.ts";
import type { DiligenceReport } from "../../../../domain/diligence/report.ts";
import { EncodingCheck } from "../../../../domain/entries/csv/encoding-check.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import type { InputFile } from "../../../files/input-file.ts";
import { formatThousands } from "../../../output/numbers.ts";
import { startProgress } from "../../../output/progress.ts";

/** Reads the file twice, as the sandbox does: its encoding first, then its rows (diligence-model §1). */
export async function assessFile(
  context: Context,
  file: InputFile,
  options: AssessmentOptions,
): Promise<DiligenceReport> {
  const { displayName } = file;
  const progress = startProgress(context.stderr, `reading ${displayName}`);
  const assessment = new Assessment(options);
  try {
    const encoding = new EncodingCheck();
    for await (const bytes of file.chunks()) encoding.push(bytes);
    encoding.end();
    for await (const bytes of file.chunks()) {
      assessment.push(bytes);
      progress.update(`${displayName}: ${formatThousands(assessment.progress.rowsProcessed)} rows`);
      context.signal.throwIfAborted();
    }
    for (const _ of assessment.finish()) context.signal.throwIfAborted();
    return assessment.report();
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    const { code, line, message } = error;
    const location = line === null ? displayName : `${displayName}, line ${line}`;
    throw new ClaimsError("rejected", code, `${location}: ${message} (${code})`, {
      hint: "the sandbox would end the job as failed; fix the file and check it again",
    });
  } finally {
    progress.stop();
  }
}
