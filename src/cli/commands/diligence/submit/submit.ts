import { command, type Invocation } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { listSellers } from "../../../write-log/job-log.ts";
import { writeOptions } from "../../../write-log/write-options.ts";
import {
  entryFileArgument,
  failOn,
  parseSellerName,
  protestDocs,
  retryForOption,
  submissionOptions,
} from "../options.ts";

const submitOptions = {
  sellerName: {
    value: "name",
    parse: parseSellerName,
    required: true,
    listEarlier: listSellers,
    help: "name of the seller",
  },
  protestDocs,
  wait: { help: "wait until the job ends, then print its report" },
  legacy: { help: "use the legacy path" },
  ...submissionOptions("asks on a terminal, otherwise fail"),
  ...retryForOption,
  ...writeOptions,
  ...failOn,
} as const satisfies OptionSpecs;

export type SubmitInvocation = Invocation<typeof submitOptions, readonly [typeof entryFileArgument]>;

export const submit = command({
  name: "submit",
  summary: "submit a CSV file of entries as a diligence job",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ diligence }) => diligence.submit,
  arguments: [entryFileArgument],
  options: submitOptions,
  examples: [
    'claims diligence submit es003.csv --seller-name "Harbor & Pine Trading, LLC" --protest-docs --wait',
    "claims diligence submit entries.csv --seller-name Acme --wait --json > report.json",
  ],
  run: async (context, call) => (await import("./run.ts")).runSubmit(context, call),
});
