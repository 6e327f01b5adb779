import { command, type Invocation } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { writeOptions } from "../../../write-log/write-options.ts";
import { parseSellerName, submissionOptions } from "../../diligence/options.ts";

const learnOptions = {
  har: {
    value: "file",
    repeats: true,
    help: "learn from recorded traffic; the service itself is asked only with --job, --submit or --test-event",
  },
  deliveries: {
    value: "file",
    repeats: true,
    help: "learn from recorded deliveries: a folder of `webhooks listen --record`, or a log; may repeat",
  },
  job: { value: "job", help: "also read the status, the report and the dataset of a job" },
  submit: {
    value: "file",
    repeats: true,
    help: "submit a CSV file of entries, and learn from its job; a second one that ends partial shows more words",
  },
  sellerName: { value: "name", parse: parseSellerName, help: "with --submit: name of the seller" },
  ...submissionOptions("skip"),
  ...writeOptions,
  resume: { help: "with --submit: resume the job if it ends partial" },
  testEvent: { help: "send a test event, and learn from its signed preview" },
  yes: { help: "read production; writes also need --environment production" },
} as const satisfies OptionSpecs;

export type LearnInvocation = Invocation<typeof learnOptions, readonly []>;

export const learn = command({
  name: "learn",
  prints: "ServiceForm",
  summary: "record the form of a real service, to compare it with what is assumed",
  remote: "writes",
  waitsForJob: true,
  output: "document",
  options: learnOptions,
  examples: [
    "claims contract learn --profile trial --out service.json",
    "claims contract learn --har recorded.har --har other.har --out service.json",
    "claims contract learn --deliveries ./deliveries --out service.json",
    "claims contract learn --job JOB --out service.json",
    "claims contract learn --submit entries.csv --seller-name Acme --test-event --out service.json",
  ],
  run: async (context, call) => (await import("./run.ts")).runLearn(context, call),
});
