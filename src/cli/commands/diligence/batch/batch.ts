import { command } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";
import { resendOptions } from "../../../write-log/write-options.ts";
import { failOn, parseSellerName, protestDocs, retryForOption, submissionOptions } from "../options.ts";

const CONCURRENCY = { what: "a number of submissions", min: 1, max: 64 } as const;

const DEFAULT_CONCURRENCY = 4;

export const batchOptions = {
  sellerName: {
    value: "name",
    parse: parseSellerName,
    help: "name of the seller, for rows of the manifest that have none",
  },
  protestDocs,
  concurrency: {
    value: "n",
    parse: (text) => parseInteger(text, CONCURRENCY),
    help: "number of parallel submissions",
    default: DEFAULT_CONCURRENCY,
  },
  batchLog: { value: "file", help: "log of the submissions", default: "SOURCE.batch.jsonl" },
  wait: { help: "wait until every job ends" },
  pull: {
    value: "dir",
    help: "wait, then save the report and dataset of each job in a subfolder of this folder",
  },
  resume: { help: "resume the jobs that ended partial or failed, except for an error of their file" },
  allOrNothing: { help: "send nothing if a row or a file is invalid" },
  ...submissionOptions("fail"),
  ...failOn,
  ...retryForOption,
  ...resendOptions,
  legacy: { help: "use the legacy path" },
} as const satisfies OptionSpecs;

export const batch = command({
  name: "batch",
  prints: "BatchItems",
  summary: "submit many files; a second run continues the first and submits nothing twice",
  remote: "writes",
  waitsForJob: true,
  continues: true,
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
  run: async (context, call) =>
    (await import("./run-batch.ts")).runBatch(context, call, call.options.concurrency ?? DEFAULT_CONCURRENCY),
});
