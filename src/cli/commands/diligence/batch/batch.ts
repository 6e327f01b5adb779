import { command } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";
import { protestDocs } from "../options.ts";

const CONCURRENCY = { what: "a number of submissions", min: 1, max: 64, code: "invalid_concurrency" };

/** What the command takes; `run.ts` has its types from here. */
export const batchOptions = {
  sellerName: { value: "name", help: "the seller, where no manifest names one" },
  protestDocs,
  concurrency: {
    value: "n",
    parse: (text) => parseInteger(text, CONCURRENCY),
    help: "submissions under way at once (4)",
  },
  ledger: {
    value: "file",
    help: "where to keep what was sent (beside the source, as SOURCE.ledger.jsonl)",
  },
  wait: { help: "wait for the end of every job" },
  pull: { value: "dir", help: "wait, and save report and dataset of each job in a folder below this one" },
  resendUnknown: {
    help: "send again what may have been carried out, on a service that does not promise to notice",
  },
  legacy: { help: "use the legacy path" },
} as const satisfies OptionSpecs;

export const batch = command({
  name: "batch",
  summary: "submit many files; run it again and it goes on where it was, with nothing sent twice",
  remote: "writes",
  waitsForJob: true,
  output: "list",
  arguments: [
    {
      name: "source",
      help: "folder of CSV files, or a manifest: CSV with the columns file, seller, protest_docs; - is stdin",
    },
  ],
  options: batchOptions,
  examples: [
    "claims diligence batch manifest.csv",
    "claims diligence batch ./entries --seller-name Acme --pull ./pulled",
    "claims diligence batch manifest.csv -q | claims diligence status - --ndjson",
  ],
  async run(context, call) {
    const { runBatch } = await import("./run-batch.ts");
    return runBatch(context, call);
  },
});
