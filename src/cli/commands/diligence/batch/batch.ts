import { command } from "../../../framework/command.ts";
import { batchOptions } from "./options.ts";

export const batch = command({
  name: "batch",
  prints: "BatchItems",
  summary: "submit many files; a second run continues the first and submits nothing twice",
  remote: "writes",
  waitsForJob: true,
  output: "list",
  arguments: [
    {
      name: "source",
      help: "folder of CSV files, or a manifest: CSV with the columns file, seller, protest_docs, check and any others; - is stdin",
    },
  ],
  options: batchOptions,
  examples: [
    "claims diligence batch manifest.csv",
    "claims diligence batch ./entries --seller-name Acme --pull ./pulled",
    "claims diligence batch manifest.csv --resume --wait",
  ],
  run: async (context, call) => (await import("./run-batch.ts")).runBatch(context, call),
});
