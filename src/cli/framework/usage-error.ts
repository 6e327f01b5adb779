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
  const [, option = ""] = /^unknown option '(.*)'$/.exec(message) ?? [];
  const { name, spec } = findNamedCommand(tree, words);
  const options = spec
    ? groupOptions(spec).flatMap(([, group]) => Object.keys(group).map(formatLongFlag))
    : [];
  if (options.includes(option))
    return usageError("usage", `${option} takes no value`, { hint: `write ${option} alone` });
  const hint =
    (message.startsWith("unknown option '--env-file") ? ENV_FILE_HINT : null) ??
    suggestForForeignWord(message, options, words, tree) ??
    suggestByPrefix(message, options, words, tree) ??
    suggestion?.replace(/^D/, "d") ??
    suggestCommand(words, tree) ??
    `\`${name} --help\` lists its arguments and options`;
  const [, refused] = /^option '(?:-\w, )?(--[\w-]+)/.exec(message) ?? [];
  return usageError(CODES[error.code] ?? "usage", message.replace(/\.$/, ""), { hint, option: refused });
}

/** Node reads this flag after the script too, and exits 9 if the file is missing (nodejs/node#54232). */
const ENV_FILE_HINT = "--env-file is a flag of Node; commands that call a service take --dotenv FILE";

/** What commander says of a word that it does not know. */
function parseUnknownWord(message: string): { readonly kind: string | undefined; readonly typed: string } {
  const [, kind, typed = ""] = /^unknown (option|command) '([^']+)'/.exec(message) ?? [];
  return { kind, typed };
}

/** For a word that another tool has. */
function suggestForForeignWord(
  message: string,
  options: readonly string[],
  words: readonly string[],
  tree: CommandTree,
): string | null {
  const { kind, typed } = parseUnknownWord(message);
  const found = kind === "option" ? findOptions(typed, options) : findCommands(words, tree);
  return kind === undefined || found.length === 0 ? null : `did you mean ${found.join(" or ")}?`;
}

const findOptions = (typed: string, options: readonly string[]): readonly string[] =>
  (OPTIONS_BY_FOREIGN_WORD[typed] ?? []).filter((text) => options.includes(text.split(" ")[0] ?? ""));

function findCommands(words: readonly string[], tree: CommandTree): readonly string[] {
  const group = findGroup(tree, words);
  const [first = "", second = ""] = [...group, ...words.slice(group.length)];
  const found = COMMANDS_BY_FOREIGN_WORD[`${first} ${second}`] ?? COMMANDS_BY_FOREIGN_WORD[first] ?? [];
  return found.map((name) => `"claims ${name}"`);
}

/** More matches than this are no suggestion. */
const MAX_SUGGESTIONS = 3;

function suggestByPrefix(
  message: string,
  options: readonly string[],
  words: readonly string[],
  tree: CommandTree,
): string | null {
  const { kind, typed } = parseUnknownWord(message);
  const known = findGroup(tree, words);
  const matches =
    kind === "option"
      ? options.filter((flag) => typed.startsWith("--") && flag.startsWith(typed))
      : listNames(known, tree)
          .filter((name) => kind === "command" && name.startsWith(typed))
          .map((name) => `"${["claims", ...known, name].join(" ")}"`);
  if (matches.length === 0 || matches.length > MAX_SUGGESTIONS) return null;
  return `did you mean ${matches.join(" or ")}?`;
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
