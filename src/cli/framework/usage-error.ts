import type { CommanderError } from "commander";
import type { ErrorCode } from "../../domain/error-codes.ts";
import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { type CommandNode, findGroup, findNamedCommand, findPath, listNext } from "./command-tree.ts";
import { formatLongFlag, listOptions } from "./options.ts";

/** Our codes for errors of commander that are not `usage`. */
const CODES: Readonly<Record<string, ErrorCode<"usage">>> = {
  "commander.invalidArgument": "option_invalid",
  "commander.conflictingOption": "option_conflict",
};

export function toUsageError(error: CommanderError, words: readonly string[], tree: CommandNode) {
  // The value of an unknown option may be a secret.
  const text = error.message.replace(/(unknown option '[^=]*)=.*'/s, "$1'");
  const [, message = text, suggestion] = /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(text) ?? [];
  const [, kind, typed = ""] = /^unknown (option|command) '([^']+)'/.exec(message) ?? [];
  const { name, spec } = findNamedCommand(tree, words);
  const options = (spec ? listOptions(spec) : []).map(([key]) => formatLongFlag(key));
  if (kind === "option" && options.includes(typed))
    return usageError("usage", `${typed} takes no value`, { hint: `write ${typed} alone` });
  const begun = unlessMany(options.filter((flag) => typed.startsWith("--") && flag.startsWith(typed)));
  const found = kind === "command" ? findCommands(typed, words, tree) : begun;
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

/** The commands that begin with what was typed. */
function findCommands(typed: string, words: readonly string[], tree: CommandNode): readonly string[] {
  const known = findGroup(tree, words);
  const begun = listNext(tree, known).filter(({ name }) => name.startsWith(typed));
  return unlessMany(begun.map(({ name }) => `"claims ${[...known, name].join(" ")}"`));
}

function suggestCommand(words: readonly string[], tree: CommandNode): string | null {
  if (words[0]?.startsWith("-"))
    return "the options of a command follow it: `claims <command> --help` lists them";
  const known = findGroup(tree, words);
  const typed = words[known.length] ?? "";
  if (typed.startsWith("-")) return null;
  // Commander suggests the first word.
  const paths = listPaths(findPath(tree, known).at(-1) ?? tree, known).filter(({ length }) => length > 1);
  const lastWords = paths.map((path) => path.at(-1) ?? "");
  const suggestion = paths[lastWords.indexOf(findClosest(typed, lastWords) ?? "")]?.join(" ");
  const isTyped = suggestion === [...known, typed].join(" ");
  return suggestion === undefined || isTyped ? null : `did you mean "claims ${suggestion}"?`;
}

/** The words of all that is below a group. */
const listPaths = ({ children }: CommandNode, path: readonly string[]): readonly (readonly string[])[] =>
  children.flatMap((child) => [[...path, child.name], ...listPaths(child, [...path, child.name])]);
