import type { Context } from "../context.ts";
import type { CommandTree } from "../framework/command-tree.ts";
import { sanitizeLine } from "../output/sanitize.ts";

/** The command of the completion scripts. Help does not list it. */
export const COMPLETE_COMMAND = "__complete";

/**
 * Prints the completions of a command line.
 *
 * @param args `-- words…`. The user types the last word; `--new-word` before `--` says that it is empty
 */
export async function printCompletions(
  args: readonly string[],
  context: Context,
  loadTree: (words: readonly string[]) => Promise<CommandTree>,
): Promise<void> {
  const words = args.slice(args.indexOf("--") + 1);
  const line = args[0] === "--new-word" ? [...words, ""] : words;
  try {
    const { complete, createValueCompleter } = await import("./index.ts");
    const { nouns, commands } = await loadTree(line);
    const tree = { nouns, commandsOf: (noun: string) => commands[noun] ?? [] };
    const { candidates, paths } = await complete(line, tree, createValueCompleter(context));
    const lines = candidates.map(({ value, description }) => `${value}\t${sanitizeLine(description)}\n`);
    context.stdout.writable.write(lines.join("") + (paths ? `:${paths}\n` : ""));
  } catch {
    // The user is typing: a message about an unreadable folder would disturb the line.
  }
}
