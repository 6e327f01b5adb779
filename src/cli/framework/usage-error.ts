import type { CommanderError } from "commander";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { type CommandTree, findCommand, findGroup, findNoun } from "./command-tree.ts";

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
    suggestion?.replace(/^D/, "d") ??
    suggestCommand(words, tree) ??
    `\`${findCommandPath(words, tree)} --help\` lists its arguments and options`;
  return usageError("usage", message.replace(/\.$/, ""), { hint });
}

/** Node reads this flag after the script too, and exits 9 if the file is missing (nodejs/node#54232). */
const ENV_FILE_HINT = "--env-file is a flag of Node; commands that call a service take --dotenv FILE";

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
