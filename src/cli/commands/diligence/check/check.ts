import { timeToDay } from "../../../../domain/entries/dates.ts";
import { command } from "../../../framework/command.ts";
import { parseDay } from "../../../framework/values.ts";
import { entryFile, openEntryFile } from "../entry-file.ts";
import { checkOutcome } from "../fail-on.ts";
import { failOn, protestDocs } from "../options.ts";
import { reportBlocks } from "../report-card.ts";

export const check = command({
  name: "check",
  summary: "assess a CSV of entries offline, with the sandbox's own rules, before anything is sent",
  remote: false,
  output: "document",
  arguments: [entryFile],
  options: {
    asOf: { value: "date", parse: parseDay, help: "the date to assess for, YYYY-MM-DD (today, UTC)" },
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
