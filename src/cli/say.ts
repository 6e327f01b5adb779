import type { Context } from "./context.ts";
import { printable } from "./output/printable.ts";

/** A line for people, on stderr: stdout is data. */
export function say({ stderr }: Pick<Context, "stderr">, line: string): void {
  stderr.writable.write(`${printable(line)}\n`);
}
