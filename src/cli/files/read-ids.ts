import { text } from "node:stream/consumers";
import type { Context } from "../context.ts";
import { requirePipedStdin } from "./input-file.ts";

/**
 * The ids that a command line names: each word, and for `-` those on stdin.
 *
 * @param hint what to pipe in, where stdin is a terminal
 */
export async function readIds(context: Context, words: readonly string[], hint: string): Promise<string[]> {
  const lists = words.map(async (word) =>
    word === "-" ? (await text(requirePipedStdin(context, hint))).split(/\s+/).filter(Boolean) : [word],
  );
  return (await Promise.all(lists)).flat();
}
