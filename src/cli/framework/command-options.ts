import type { AnyCommand, OptionSpec, OptionSpecs } from "./command.ts";
import {
  COLOUR_OPTIONS,
  CONFIRM_OPTIONS,
  FIELDS_OPTIONS,
  JOB_TIMEOUT_OPTIONS,
  JSON_OPTIONS,
  LIST_OPTIONS,
  OUT_OPTIONS,
  PROMPT_OPTIONS,
  QUIET_OPTIONS,
  REQUEST_TIMEOUT_OPTIONS,
  SERVICE_OPTIONS,
} from "./global-options.ts";

/** The options of a command, as its help groups them. */
export function groupOptions({
  output: answers,
  canPrompt: asks = false,
  options,
  remote,
  waitsForJob: waits = false,
}: AnyCommand): [title: string, options: OptionSpecs][] {
  const writes = remote === "writes";
  const own = {
    ...options,
    ...(waits && JOB_TIMEOUT_OPTIONS),
    ...(writes && CONFIRM_OPTIONS),
    ...((writes || asks) && PROMPT_OPTIONS),
  };
  const service = { ...SERVICE_OPTIONS, ...(!waits && REQUEST_TIMEOUT_OPTIONS) };
  const output = {
    ...JSON_OPTIONS,
    ...(answers === "list" && LIST_OPTIONS),
    ...((answers === "list" || answers === "record" || answers === "document") && FIELDS_OPTIONS),
    ...((answers === "list" || answers === "record") && QUIET_OPTIONS),
    ...(answers !== "nothing" && OUT_OPTIONS),
    ...COLOUR_OPTIONS,
  };
  return [
    ["", own],
    ...(remote ? [["Service:", service] as [string, OptionSpecs]] : []),
    ["Output:", output],
  ];
}

/** How an option is written: `dryRun` is `--dry-run`. */
export const formatLongFlag = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option as help shows it. */
export const formatFlags = (key: string, { short, value }: OptionSpec): string =>
  `${short ? `-${short}, ` : ""}${formatLongFlag(key)}${value ? ` <${value}>` : ""}`;
