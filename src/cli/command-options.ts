import type { AnyCommand, OptionSpec, OptionSpecs } from "./command.ts";
import {
  ANSWERING_COMMAND,
  ASKING_COMMAND,
  COLOURED_COMMAND,
  EVERY_COMMAND,
  IDENTIFYING_COMMAND,
  LISTING_COMMAND,
  REMOTE_COMMAND,
  REQUESTING_COMMAND,
  SAVING_COMMAND,
  WAITING_COMMAND,
  WRITING_COMMAND,
} from "./global-options.ts";

/** The options of a command, as its help groups them. */
export function optionGroups({
  answers,
  asks = false,
  options,
  remote,
  waits = false,
}: AnyCommand): [title: string, options: OptionSpecs][] {
  const writes = remote === "writes";
  const own = {
    ...options,
    ...(waits && WAITING_COMMAND),
    ...(writes && WRITING_COMMAND),
    ...((writes || asks) && ASKING_COMMAND),
  };
  const service = { ...REMOTE_COMMAND, ...(!waits && REQUESTING_COMMAND) };
  const output = {
    ...EVERY_COMMAND,
    ...(answers === "list" && LISTING_COMMAND),
    ...((answers === "list" || answers === "record" || answers === "document") && ANSWERING_COMMAND),
    ...((answers === "list" || answers === "record") && IDENTIFYING_COMMAND),
    ...(answers !== "nothing" && SAVING_COMMAND),
    ...COLOURED_COMMAND,
  };
  return [
    ["", own],
    ...(remote ? [["Service:", service] as [string, OptionSpecs]] : []),
    ["Output:", output],
  ];
}

/** How an option is written: `dryRun` is `--dry-run`. */
export const longFlag = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option as help shows it. */
export const flagsOf = (key: string, { short, value }: OptionSpec): string =>
  `${short ? `-${short}, ` : ""}${longFlag(key)}${value ? ` <${value}>` : ""}`;
