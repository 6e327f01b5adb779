import type { Context } from "../context.ts";
import { sanitizeLine } from "./sanitize.ts";

/** Prints a line for people to stderr. */
export function printMessage({ stderr }: Pick<Context, "stderr">, line: string): void {
  stderr.writable.write(`${sanitizeLine(line)}\n`);
}
