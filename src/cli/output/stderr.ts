import type { Context } from "../context.ts";
import { sanitizeLine } from "./sanitize.ts";

/** A line for people, on stderr: stdout is data. */
export function printMessage({ stderr }: Pick<Context, "stderr">, line: string): void {
  stderr.writable.write(`${sanitizeLine(line)}\n`);
}
