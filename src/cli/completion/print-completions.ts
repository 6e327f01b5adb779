import type { Context } from "../context.ts";
import type { CommandTree } from "../framework/command-tree.ts";
import { sanitizeLine } from "../output/sanitize.ts";
import { complete } from "./complete.ts";
import { createValueCompleter } from "./values.ts";

/** Prints the completions of a command line. @param args `-- words…`. The user types the last word */
export async function printCompletions(
  args: readonly string[],
  context: Context,
  loadTree: (words: readonly string[]) => Promise<CommandTree>,
): Promise<void> {
  const line = args.slice(args.indexOf("--") + 1);
  try {
    const completer = createValueCompleter(context);
    const { candidates, paths } = await complete(line, await loadTree(line), completer);
    const lines = candidates.map(({ value, description }) => `${value}\t${sanitizeLine(description)}\n`);
    context.stdout.writable.write(lines.join("") + (paths ? `:${paths}\n` : ""));
  } catch {
    // The user is typing: a message about an unreadable folder would disturb the line.
  }
}
