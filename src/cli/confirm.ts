import { createInterface } from "node:readline/promises";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./global-options.ts";

/** Asks a yes-or-no question on the terminal. Without a terminal, or with `--no-input`, the answer is no. */
export async function confirm(context: Context, global: GlobalOptions, question: string): Promise<boolean> {
  const { stdin, stderr, env, signal } = context;
  if (!stdin.isTerminal || !stderr.isTerminal || global.input === false || env.CLAIMS_NO_INPUT) return false;
  const lines = createInterface({ input: stdin.readable, output: stderr.writable });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    lines.close();
  }
}
