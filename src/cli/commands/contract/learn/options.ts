import type { Invocation } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";

export const learnOptions = {
  har: {
    value: "file",
    repeats: true,
    help: "learn from recorded traffic instead of the service; several files are one recording",
  },
  merge: { value: "file", help: "add to what was learned before" },
  job: { value: "job", help: "also read the status, the report and the dataset of a job" },
  yes: { help: "read production" },
} as const satisfies OptionSpecs;

export type LearnInvocation = Invocation<typeof learnOptions, readonly []>;
