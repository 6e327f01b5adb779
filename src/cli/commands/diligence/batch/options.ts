import type { OptionSpecs } from "../../../framework/options.ts";
import { parseDurationFlag, parseInteger } from "../../../framework/values.ts";
import { resendOptions } from "../../../write-log/write-options.ts";
import { datasetFormat } from "../dataset/format-option.ts";
import { failOn } from "../fail-on.ts";
import { mappingOptions } from "../mapping-options.ts";
import { parseSellerName, protestDocs, retryForOption, submissionOptions } from "../options.ts";

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
  format: { ...datasetFormat, help: "with --pull: format of the datasets" },
  resume: { help: "resume the jobs that ended partial or failed, except for an error of their file" },
  status: {
    help: "show what became of each submission so far: reads the states of the jobs, and submits nothing",
  },
  only: {
    value: "outcome",
    choices: ["failed", "partial", "unknown"],
    help: "only the files with this outcome so far; failed includes what the service refused",
  },
  allOrNothing: { help: "send nothing if a row or a file is invalid" },
  minAge: {
    value: "duration",
    parse: parseDurationFlag,
    help: "leave files that were written later than so long ago, as in 60s, for the next run",
  },
  failedCsv: {
    value: "file",
    isOutput: true,
    help: "write the rows that are not complete, with the reason of each, to a CSV file",
  },
  ...mappingOptions,
  delimiter: {
    ...mappingOptions.delimiter,
    help: "what separates the cells of the entry files: , ; | or tab; a manifest has commas",
  },
  ...submissionOptions("fail"),
  ...failOn,
  ...retryForOption,
  ...resendOptions,
  legacy: { help: "use the legacy path" },
} as const satisfies OptionSpecs;
