import { formatTabbedLine } from "./cell-text.ts";
import type { Block } from "./output.ts";
import { sanitizeLine } from "./sanitize.ts";

/** Blocks for a program: tab-separated rows, no header, no colour, no advice, nothing cut off. */
export function renderForPipe(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => {
    if (block.kind !== "paragraph") return block.rows.map((row) => formatTabbedLine(row));
    return block.isAdvice ? [] : block.lines.map((line) => `${sanitizeLine(line)}\n`);
  });
  return lines.join("");
}
