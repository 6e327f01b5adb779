import { command } from "../../../framework/command.ts";
import { csvOptions } from "./options.ts";

export const csv = command({
  name: "csv",
  summary: "write an entry file with a known outcome: all accepted, partial, failing, slow …",
  output: "bytes",
  options: csvOptions,
  examples: [
    "claims sandbox csv --out entries.csv",
    "claims sandbox csv --scenario mixed --rows 500 --layout es003 --out mixed.csv",
    "claims sandbox csv --scenario partial | claims diligence submit - --seller-name Acme --wait",
  ],
  run: async (context, call) => (await import("./run.ts")).runCsv(context, call),
});
