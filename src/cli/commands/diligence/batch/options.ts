import type { OptionSpecs } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";
import { onDuplicateOption } from "../../../write-log/duplicates.ts";
import { checkOptions, parseSellerName, protestDocs } from "../options.ts";

const CONCURRENCY = {
  what: "a number of submissions",
  min: 1,
  max: 64,
  code: "invalid_concurrency",
} as const;

export const DEFAULT_CONCURRENCY = 4;

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
  resendUnknown: {
    help: "resend submissions with unknown outcome to a service that may not recognize them",
  },
  ...checkOptions,
  ...onDuplicateOption("fail"),
  legacy: { help: "use the legacy path" },
} as const satisfies OptionSpecs;
