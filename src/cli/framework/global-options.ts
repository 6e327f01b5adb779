import { usageError } from "../../domain/errors.ts";
import { type CommandTree, findGroup, findNamedCommand } from "./command-tree.ts";
import { formatLongFlag, GLOBAL_OPTIONS, groupOptions } from "./options.ts";

interface LeadingOption {
  /** The name of the option in code, as in `dryRun`. */
  readonly key: string;
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
    leading.push({ key, words: rest.slice(0, count) });
    rest = rest.slice(count);
  }
}

/** @throws ClaimsError `usage` if there is no command, or it does not take one of the options */
export function addGlobalOptions(
  words: readonly string[],
  leading: readonly LeadingOption[],
  tree: CommandTree,
): readonly string[] {
  const { name, spec, depth } = findNamedCommand(tree, words);
  const flags = leading.map(({ words: [word = ""] }) => word.split("=")[0]);
  if (spec === undefined) {
    if (leading.length === 0 || words.length > findGroup(tree, words).length) return words;
    throw usageError("usage", `no command follows ${flags.join(" ")}`, {
      hint: `\`${[name, "--help"].join(" ")}\` lists the commands`,
    });
  }
  const groups = groupOptions(spec).map(([, options]) => options);
  const wrong = leading.findIndex(({ key }) => !groups.some((options) => Object.hasOwn(options, key)));
  if (wrong !== -1)
    throw usageError("usage", `\`${name}\` does not take ${flags[wrong]}`, {
      hint: `\`${name} --help\` lists its options`,
    });
  return [...words.slice(0, depth), ...leading.flatMap((each) => each.words), ...words.slice(depth)];
}
