import { command } from "../../../framework/command.ts";
import { batchOptions } from "./options.ts";

export const batch = command({
  name: "batch",
  summary: "submit many files; a second run continues the first and submits nothing twice",
  remote: "writes",
  waitsForJob: true,
  output: "list",
  arguments: [
    {
      name: "source",
      help: "folder of CSV files, or a manifest: CSV with the columns file, seller, protest_docs and any others; - is stdin",
    },
  ],
  options: batchOptions,
  examples: [
    "claims diligence batch manifest.csv",
    "claims diligence batch ./entries --seller-name Acme --pull ./pulled",
    "claims diligence batch manifest.csv --status --failed-csv failed.csv",
    "claims diligence batch manifest.csv --only partial --resume --wait",
    "claims diligence batch manifest.csv -q | claims diligence status - --ndjson",
  ],
  async run(context, call) {
    const { runBatch } = await import("./run-batch.ts");
    return runBatch(context, call);
  },
});
