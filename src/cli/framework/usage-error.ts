import type { CommanderError } from "commander";
import type { ErrorCode } from "../../domain/error-codes.ts";
import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { type CommandTree, findGroup, findNamedCommand, listGroup, splitName } from "./command-tree.ts";
import { COMMANDS_BY_FOREIGN_WORD, OPTIONS_BY_FOREIGN_WORD } from "./foreign-words.ts";
import { formatLongFlag, groupOptions } from "./options.ts";

/** Our codes for errors of commander that are not `usage`. */
const CODES: Readonly<Record<string, ErrorCode<"usage">>> = {
  "commander.invalidArgument": "option_invalid",
  "commander.conflictingOption": "option_conflict",
};

export function toUsageError(error: CommanderError, words: readonly string[], tree: CommandTree) {
  // The value of an unknown option may be a secret.
  const text = error.message.replace(/(unknown option '[^=]*)=.*'/s, "$1'");
  const [, message = text, suggestion] = /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(text) ?? [];
  const [, kind, typed = ""] = /^unknown (option|command) '([^']+)'/.exec(message) ?? [];
  const { name, spec } = findNamedCommand(tree, words);
  const options = spec
    ? groupOptions(spec).flatMap(([, group]) => Object.keys(group).map(formatLongFlag))
    : [];
  if (kind === "option" && options.includes(typed))
    return usageError("usage", `${typed} takes no value`, { hint: `write ${typed} alone` });
  const meant = kind === "option" ? findOptions(typed, options) : [];
  const found = kind === "command" ? findCommands(typed, words, tree) : meant;
  const hint =
    (typed.startsWith("--env-file") ? ENV_FILE_HINT : null) ??
    (found.length > 0 ? `did you mean ${found.join(" or ")}?` : null) ??
    suggestion?.replace(/^D/, "d") ??
    suggestCommand(words, tree) ??
    `\`${name} --help\` lists its arguments and options`;
  const [, refused] = /^option '(?:-\w, )?(--[\w-]+)/.exec(message) ?? [];
  return usageError(CODES[error.code] ?? "usage", message.replace(/\.$/, ""), { hint, option: refused });
}

/** Node reads this flag after the script too, and exits 9 if the file is missing (nodejs/node#54232). */
const ENV_FILE_HINT = "--env-file is a flag of Node; commands that call a service take --dotenv FILE";

/** More matches than this are no suggestion. */
const MAX_SUGGESTIONS = 3;

const unlessMany = (matches: readonly string[]): readonly string[] =>
  matches.length > MAX_SUGGESTIONS ? [] : matches;

/** Those that stand for an option of another tool, or begin with what was typed. */
function findOptions(typed: string, options: readonly string[]): readonly string[] {
  const own = (OPTIONS_BY_FOREIGN_WORD[typed] ?? []).filter((text) =>
    options.includes(text.split(" ")[0] ?? ""),
  );
  if (own.length > 0 || !typed.startsWith("--")) return own;
  return unlessMany(options.filter((flag) => flag.startsWith(typed)));
}

/** The same for commands. */
function findCommands(typed: string, words: readonly string[], tree: CommandTree): readonly string[] {
  const known = findGroup(tree, words);
  const [first = "", second = ""] = [...known, ...words.slice(known.length)];
  const own = COMMANDS_BY_FOREIGN_WORD[`${first} ${second}`] ?? COMMANDS_BY_FOREIGN_WORD[first];
  const begun = listNames(known, tree).filter((name) => name.startsWith(typed));
  const found = own ?? unlessMany(begun.map((name) => [...known, name].join(" ")));
  return found.map((name) => `"claims ${name}"`);
}

/** The words that may follow the words of a group; the nouns and commands for none. */
function listNames([noun, group]: readonly string[], { commands, nouns }: CommandTree): string[] {
  const specs = commands[noun ?? ""] ?? [];
  const names = (group === undefined ? specs : listGroup(specs, group)).map(
    (spec) => splitName(spec)[group === undefined ? 0 : 1],
  );
  return [...new Set(noun === undefined ? [...nouns.map(({ name }) => name), ...names] : names)];
}

function suggestCommand(words: readonly string[], tree: CommandTree): string | null {
  if (words[0]?.startsWith("-"))
    return "the options of a command follow it: `claims <command> --help` lists them";
  const known = findGroup(tree, words);
  const typed = words[known.length] ?? "";
  if (typed.startsWith("-")) return null;
  const paths = new Map<string, string>();
  for (const { name } of tree.nouns) {
    for (const path of (tree.commands[name] ?? []).map((spec) => [name, ...spec.name.split(" ")])) {
      if (known.some((word, index) => word !== path[index])) continue;
      for (const [index, word] of path.entries())
        if (index >= Math.max(known.length, 1) && !paths.has(word))
          paths.set(word, path.slice(0, index + 1).join(" "));
    }
  }
  const suggestion = paths.get(findClosest(typed, paths.keys()) ?? "");
  const isTyped = suggestion === [...known, typed].join(" ");
  return suggestion === undefined || isTyped ? null : `did you mean "claims ${suggestion}"?`;
}
