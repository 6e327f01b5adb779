import type { ArgumentSpec } from "../../framework/command.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { FAILING_OUTCOMES } from "./fail-on.ts";

/** The one job that a command is about. */
export const jobArgument = {
  name: "job",
  help: "job id, as printed by submit; - reads it from stdin",
  isOptional: true,
} as const satisfies ArgumentSpec;

/** The jobs that a command is about. */
export const jobArguments = {
  name: "jobs",
  help: "job ids, as printed by submit; - reads them from stdin, one a line",
  isVariadic: true,
  isOptional: true,
} as const satisfies ArgumentSpec;

/** In place of a job id. */
export const last = {
  last: { help: "the last job that was submitted from this machine to this service" },
} as const satisfies OptionSpecs;

export const protestDocs = { help: "say that protest documentation is required" } as const;

/** What `--wait` and `wait` judge beside the state. */
export const failOn = {
  failOn: {
    value: "outcome",
    choices: FAILING_OUTCOMES,
    help: "exit 5 when the rf8Review outcome is this, or worse",
  },
} as const satisfies OptionSpecs;
