import { usageError } from "../../domain/errors.ts";
import { type CommandNode, findGroup, findNamedCommand } from "./command-tree.ts";
import { formatLongFlag, GLOBAL_OPTIONS, listOptions } from "./options.ts";

interface LeadingOption {
  /** The name of the option in code, as in `dryRun`. */
  readonly key: string;
  /** The option as typed, without its value. */
  readonly flag: string;
  /** The option as typed, with its value. */
  readonly words: readonly string[];
}

const KEYS_BY_FLAG = new Map(
  Object.entries(GLOBAL_OPTIONS).flatMap(([key, { short }]) =>
    [formatLongFlag(key), ...(short ? [`-${short}`] : [])].map((flag) => [flag, key] as const),
  ),
);

/** Splits a command line into the global options before its command (product.md §3) and the other words. */
export function splitGlobalOptions(words: readonly string[]) {
  const leading: LeadingOption[] = [];
  let rest = words;
  for (;;) {
    const [word = ""] = rest;
    const [flag = ""] = word.split("=");
    const key = KEYS_BY_FLAG.get(flag);
    if (key === undefined) return { leading, rest };
    const count = GLOBAL_OPTIONS[key]?.value !== undefined && flag === word ? 2 : 1;
    leading.push({ key, flag, words: rest.slice(0, count) });
    rest = rest.slice(count);
  }
}

/**
 * The parser takes options only after the command, so this moves them there.
 *
 * @throws ClaimsError `usage` if there is no command, or it does not take one of the options
 */
export function moveGlobalOptionsAfterCommand(
  words: readonly string[],
  leading: readonly LeadingOption[],
  tree: CommandNode,
): readonly string[] {
  const { name, spec: command, nameLength } = findNamedCommand(tree, words);
  if (command === undefined) {
    // The parser reports it.
    const isUnknownCommand = words.length > findGroup(tree, words).length;
    if (leading.length === 0 || isUnknownCommand) return words;
    throw usageError("usage", `no command follows ${leading.map(({ flag }) => flag).join(" ")}`, {
      hint: `\`${name} --help\` lists the commands`,
    });
  }
  const supported = listOptions(command).map(([key]) => key);
  const unsupported = leading.find(({ key }) => !supported.includes(key));
  if (unsupported)
    throw usageError("usage", `\`${name}\` does not take ${unsupported.flag}`, {
      hint: `\`${name} --help\` lists its options`,
    });
  const moved = leading.flatMap((option) => option.words);
  return [...words.slice(0, nameLength), ...moved, ...words.slice(nameLength)];
}
