import { Assessment, type AssessmentOptions } from "../../../domain/diligence/assessment.ts";
import type { DiligenceReport } from "../../../domain/diligence/report.ts";
import { type Day, dayOfTime, parseIsoDay } from "../../../domain/entries/dates.ts";
import { EncodingCheck } from "../../../domain/entries/encoding.ts";
import { FileFault } from "../../../domain/entries/file-fault.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../input-file.ts";
import { startProgress, withThousands } from "../../progress.ts";
import { entryFile, failOn, protestDocs } from "./options.ts";
import { judged } from "./outcome.ts";
import { reportBlocks } from "./report-card.ts";

export const check = command({
  name: "check",
  summary: "assess a CSV of entries offline, with the sandbox's own rules, before anything is sent",
  remote: false,
  arguments: [entryFile],
  options: {
    asOf: { value: "date", parse: parseAsOf, help: "the date to assess for, YYYY-MM-DD (today, UTC)" },
    sellerName: {
      value: "name",
      help: "the seller the entries belong to; without it importers are not compared",
    },
    protestDocs,
    ...failOn,
  },
  examples: [
    'claims diligence check es003.csv --seller-name "Harbor & Pine Trading, LLC"',
    "claims diligence check - < es003.csv",
  ],
  async run(context, { args: [path = "-"], options, onEnd }) {
    const file = await openInput(context, path);
    onEnd(file.close);
    if (file.size === 0) throw new ClaimsError("rejected", "file_empty", `${file.shownAs} is empty`);
    const report = await assess(context, file, {
      asOf: options.asOf ?? dayOfTime(context.now()),
      sellerName: options.sellerName ?? "",
      requiresProtestDocumentation: options.protestDocs ?? false,
    });
    return {
      kind: "document",
      json: report,
      blocks: reportBlocks(report),
      failure: judged(report, options.failOn),
    };
  },
});

/** Reads the file twice, as the sandbox does: its encoding first, then its rows (diligence-model §1). */
async function assess(
  context: Context,
  file: InputFile,
  options: AssessmentOptions,
): Promise<DiligenceReport> {
  const progress = startProgress(context.stderr, `reading ${file.shownAs}`);
  const assessment = new Assessment(options);
  try {
    const encoding = new EncodingCheck();
    for await (const bytes of file.open()) encoding.push(bytes);
    encoding.end();
    for await (const bytes of file.open()) {
      assessment.push(bytes);
      progress.update(`${file.shownAs}: ${withThousands(assessment.progress.rowsProcessed)} rows`);
      context.signal.throwIfAborted();
    }
    for (const _ of assessment.finish()) context.signal.throwIfAborted();
    return assessment.report();
  } catch (error) {
    throw error instanceof FileFault ? asRefusal(error, file) : error;
  } finally {
    progress.stop();
  }
}

const asRefusal = ({ code, line, message }: FileFault, { shownAs }: InputFile): ClaimsError =>
  new ClaimsError(
    "rejected",
    code,
    `${shownAs}${line === null ? "" : `, line ${line}`}: ${message} (${code})`,
  );

function parseAsOf(text: string): Day {
  const day = parseIsoDay(text);
  if (day === null)
    throw new ClaimsError("usage", "invalid_date", `"${text}" is not a date`, { hint: "write YYYY-MM-DD" });
  return day;
}
