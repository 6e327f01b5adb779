import { timeToDay } from "../../../../domain/entries/dates.ts";
import { command } from "../../../framework/command.ts";
import { parseDay } from "../../../framework/values.ts";
import { openEntryFile } from "../entry-file.ts";
import { checkOutcome, failOn } from "../fail-on.ts";
import { entryFile, protestDocs } from "../options.ts";
import { reportBlocks } from "../report-card.ts";

export const check = command({
  name: "check",
  summary: "assess a CSV file of entries offline, by the rules of the sandbox",
  output: "document",
  arguments: [entryFile],
  options: {
    asOf: {
      value: "date",
      parse: parseDay,
      help: "date of the assessment, YYYY-MM-DD",
      default: "today, UTC",
    },
    sellerName: { value: "name", help: "name of the seller, to compare importers with" },
    protestDocs,
    ...failOn,
  },
  examples: [
    'claims diligence check es003.csv --seller-name "Harbor & Pine Trading, LLC"',
    "claims diligence check - < es003.csv",
  ],
  async run(context, { args, options, onEnd }) {
    const file = await openEntryFile(context, args.file, onEnd);
    const { assessFile } = await import("./assess-file.ts");
    const report = await assessFile(context, file, {
      asOf: options.asOf ?? timeToDay(context.now()),
      sellerName: options.sellerName ?? "",
      requiresProtestDocumentation: options.protestDocs ?? false,
    });
    return {
      kind: "record",
      json: report,
      blocks: reportBlocks(report),
      failure: checkOutcome(report, options.failOn),
    };
  },
});
