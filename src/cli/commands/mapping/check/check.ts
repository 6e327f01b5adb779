import { command, type Invocation } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";

const checkOptions = {
  job: { value: "job", help: "with a service: also read this job, its report and its dataset" },
  yes: { help: "read production" },
} as const satisfies OptionSpecs;

const fileArgument = { name: "file", help: "the mapping" } as const;

export type CheckInvocation = Invocation<typeof checkOptions, readonly [typeof fileArgument]>;

export const check = command({
  name: "check",
  prints: "MappingCheck",
  summary: "check a mapping, and with a service named also what is found there",
  remote: "reads",
  output: "list",
  quietPrints: "keys of mistakes, or what differs",
  arguments: [fileArgument],
  options: checkOptions,
  examples: [
    "claims mapping check mapping.json",
    "claims mapping check mapping.json --profile trial",
    "claims mapping check mapping.json --profile trial --job JOB",
  ],
  run: async (context, call) => (await import("./run.ts")).runCheck(context, call),
});
