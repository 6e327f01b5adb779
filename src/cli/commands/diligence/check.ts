import { resolve } from "node:path";
import { timeToDay } from "../../../domain/entries/dates.ts";
import type { RejectedRowPicker } from "../../../domain/entries/rejected-rows.ts";
import { usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { printMessage } from "../../output/stderr.ts";
import { openEntryFile, toEntryFileFailure } from "./entry-file.ts";
import { findStop, warnAboutFile } from "./file-warnings.ts";
import { checkReport, entryFileArgument, failOn, parseSellerName, protestDocs } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

export const check = command({
  name: "check",
  prints: "OfflineReport",
  summary: "assess a CSV file of entries offline, by the rules of the sandbox",
  output: "record",
  quietPrints: "the file name",
  arguments: [entryFileArgument],
  options: {
    asOf: {
      value: "date",
      parse: parseDay,
      help: "date of the assessment, YYYY-MM-DD",
      default: "today, UTC",
    },
    sellerName: {
      value: "name",
      parse: parseSellerName,
      help: "name of the seller, to compare importers with",
    },
    protestDocs,
    ...failOn,
    rejectedCsv: {
      value: "file",
      isOutput: true,
      help: "write the rows of rejected entries to a CSV file, with line, codes and reasons",
    },
    verbose: {
      short: "v",
      help: "show the whole report, and every warning about a file, not only those that change a claim",
    },
  },
  examples: [
    'claims diligence check es003.csv --seller-name "Harbor & Pine Trading, LLC"',
    "claims diligence check es003.csv --rejected-csv rejected.csv",
    "claims diligence check - < es003.csv",
  ],
  async run(context, { args, options, onEnd }) {
    const [{ assessFile }, { RejectedRowPicker }] = await Promise.all([
      import("./assess-file.ts"),
      import("../../../domain/entries/rejected-rows.ts"),
    ]);
    const { rejectedCsv } = options;
    const { asOf = timeToDay(context.now()), protestDocs = false, sellerName = "" } = options;
    if (rejectedCsv === "-")
      throw usageError("option_conflict", "--rejected-csv writes a file, because stdout has the report", {
        hint: "name a file",
      });
    const file = await openEntryFile(context, args.file, onEnd);
    const submission = { file, sellerName, protestDocs };
    const { report, rejectedGroups } = await assessFile(context, submission, { asOf }).catch(
      async (error: unknown) => {
        throw await toEntryFileFailure(file, error);
      },
    );
    if (rejectedCsv !== undefined) {
      const picker = new RejectedRowPicker(asOf, rejectedGroups);
      await writeRejectedCsv(context, file.chunks(), rejectedCsv, picker);
    }
    const { stderr, stdout } = context;
    // On the same terminal, the card has the texts, unless the reasons of rejected rows take their place.
    const isInCard = options.verbose === true || report.rejections.length === 0;
    if (!(stdout.isTerminal && stderr.isTerminal && isInCard))
      warnAboutFile(context, file.displayName, report.fileWarnings, options.verbose);
    return {
      kind: "record",
      json: report,
      id: args.file,
      blocks: reportBlocks(report, context, options.verbose),
      failure: findStop(file.displayName, report.fileWarnings) ?? checkReport(report, options.failOn),
    };
  },
});

/** Mode 0600: they are the importer's own cells. */
async function writeRejectedCsv(
  context: Context,
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  picker: RejectedRowPicker,
): Promise<void> {
  async function* pick(): AsyncGenerator<string> {
    for await (const bytes of chunks) yield picker.push(bytes);
    yield picker.end();
  }
  const { cwd, signal } = context;
  await writeFileAtomically(resolve(cwd, path), pick(), { mode: 0o600, signal });
  const rows = formatCount(picker.count, "row");
  printMessage(context, `wrote ${rows} of rejected entries to ${path}`, { path });
}
