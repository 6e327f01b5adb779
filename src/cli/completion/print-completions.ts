import { loadCommandsFor, NOUNS } from "../commands/index.ts";
import type { Context } from "../context.ts";
import { sanitizeLine } from "../output/sanitize.ts";
import type { Completions } from "./complete.ts";

/** What the scripts of `claims completion` call; no command, since it is of no use to anybody else. */
export const COMPLETE_COMMAND = "__complete";

/**
 * Prints what fits at the end of a command line.
 *
 * @param args `-- words…`, the last of which is being typed; `--new-word` before that says that it is still empty
 */
export async function printCompletions(args: readonly string[], context: Context): Promise<void> {
  const words = args.slice(args.indexOf("--") + 1);
  const line = args[0] === "--new-word" ? [...words, ""] : words;
  try {
    const { complete, createValueCompleter: offersOf } = await import("./index.ts");
    const commands = await loadCommandsFor(line);
    const tree = {
      nouns: NOUNS,
      commandsOf: (noun: string) => commands[noun as keyof typeof commands] ?? [],
    };
    context.stdout.writable.write(formatCompletions(await complete(line, tree, offersOf(context))));
  } catch {
    // Somebody is in the middle of a line: an unreadable folder is no reason to write into it.
  }
}

function formatCompletions({ candidates, paths }: Completions): string {
  const lines = candidates.map(({ value, description }) => `${value}\t${sanitizeLine(description)}`);
  return [...lines, ...(paths ? [`:${paths}`] : [])].map((line) => `${line}\n`).join("");
}
