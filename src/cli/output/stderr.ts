import type { Context } from "../context.ts";
import { sanitizeLine } from "./sanitize.ts";

export function printMessage({ stderr }: Pick<Context, "stderr">, line: string): void {
  stderr.writable.write(`${sanitizeLine(line)}\n`);
}
