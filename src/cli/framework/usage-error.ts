import type { CommanderError } from "commander";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { type Commands, findGroup, findNoun, NOUNS } from "../commands/index.ts";
import { findCommand } from "./command-words.ts";

/** Commander's complaints in our own form, with the command that would help. */
export function toUsageError(
  error: CommanderError,
  words: readonly string[],
  commands: Commands,
): ClaimsError {
  const [, message = error.message, suggestion] =
    /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(error.message) ?? [];
  const hint =
    (/^unknown option '--env-file\b/.test(message) ? ENV_FILE_HINT : null) ??
    suggestion?.replace(/^D/, "d") ??
    suggestCommand(words, commands) ??
    `\`${findCommandPath(words, commands)} --help\` shows what it takes`;
  return usageError("usage", message.replace(/\.$/, ""), { hint });
}

/** Node reads this flag also after the script, and exits 9 before our code runs if the file is missing (nodejs/node#54232). */
const ENV_FILE_HINT =
  "--env-file is a flag of Node itself: commands that talk to a service take --dotenv FILE";

/** The command that somebody may have meant who left out one of its words, mistyped it, or began with an option. */
function suggestCommand(words: readonly string[], all: Commands): string | null {
  if (words[0]?.startsWith("-"))
    return "options follow the command: `claims <command> --help` shows those it takes";
  const known = findGroup(words, all);
  const typed = words[known.length] ?? "";
  if (typed.startsWith("-")) return null;
  const commands = new Map<string, string>();
  for (const { name } of NOUNS)
    for (const path of (all[name] ?? []).map((spec) => [name, ...spec.name.split(" ")])) {
      if (known.some((word, at) => word !== path[at])) continue;
      for (const [at, word] of path.entries())
        if (at >= known.length && at > 0 && !commands.has(word))
          commands.set(word, path.slice(0, at + 1).join(" "));
    }
  const suggestion = commands.get(findClosest(typed, commands.keys()) ?? "");
  return suggestion === undefined || suggestion === [...known, typed].join(" ")
    ? null
    : `did you mean "claims ${suggestion}"?`;
}

function findCommandPath(words: readonly string[], commands: Commands): string {
  const noun = findNoun(words[0]);
  const rest = noun ? words.slice(1) : words;
  const path = findCommand(commands[noun?.name ?? ""] ?? [], rest)?.name ?? findGroup(words, commands)[1];
  return ["claims", noun?.name, path].filter(Boolean).join(" ");
}
