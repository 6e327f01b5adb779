import type { CommanderError } from "commander";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { type CommandTree, findCommand, findGroup, findNoun, listGroup, splitName } from "./command-tree.ts";
import { formatLongFlag, groupOptions } from "./options.ts";

/** Turns an error of commander into ours, with a hint that names the intended command. */
export function toUsageError(
  error: CommanderError,
  words: readonly string[],
  tree: CommandTree,
): ClaimsError {
  const [, message = error.message, suggestion] =
    /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(error.message) ?? [];
  const hint =
    (message.startsWith("unknown option '--env-file") ? ENV_FILE_HINT : null) ??
    suggestByPrefix(message, words, tree) ??
    suggestion?.replace(/^D/, "d") ??
    suggestCommand(words, tree) ??
    `\`${findCommandPath(words, tree)} --help\` lists its arguments and options`;
  return usageError("usage", message.replace(/\.$/, ""), { hint });
}

/** Node reads this flag after the script too, and exits 9 if the file is missing (nodejs/node#54232). */
const ENV_FILE_HINT = "--env-file is a flag of Node; commands that call a service take --dotenv FILE";

/** More matches than this are no suggestion. */
const MAX_SUGGESTIONS = 3;

/** The options or commands that begin as the typed one: `--seller` → `--seller-name`. */
function suggestByPrefix(message: string, words: readonly string[], tree: CommandTree): string | null {
  const [, kind, typed = ""] = /^unknown (option|command) '([^']+)'/.exec(message) ?? [];
  const known = findGroup(tree, words);
  const matches =
    kind === "option"
      ? listOptions(words, tree).filter((flag) => typed.startsWith("--") && flag.startsWith(typed))
      : listNames(known, tree)
          .filter((name) => kind === "command" && name.startsWith(typed))
          .map((name) => `"${["claims", ...known, name].join(" ")}"`);
  if (matches.length === 0 || matches.length > MAX_SUGGESTIONS) return null;
  return `did you mean ${matches.join(" or ")}?`;
}

function listOptions(words: readonly string[], tree: CommandTree): string[] {
  const noun = findNoun(tree, words[0]);
  const spec = findCommand(tree.commands[noun?.name ?? ""] ?? [], noun ? words.slice(1) : words);
  return spec ? groupOptions(spec).flatMap(([, options]) => Object.keys(options).map(formatLongFlag)) : [];
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
    return "options follow the command: `claims <command> --help` lists its options";
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

function findCommandPath(words: readonly string[], tree: CommandTree): string {
  const noun = findNoun(tree, words[0]);
  const rest = noun ? words.slice(1) : words;
  const command = findCommand(tree.commands[noun?.name ?? ""] ?? [], rest);
  return ["claims", noun?.name, command?.name ?? findGroup(tree, words)[1]].filter(Boolean).join(" ");
}
