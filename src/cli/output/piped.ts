import { tabbedLine } from "./cell-text.ts";
import type { Block } from "./output.ts";
import { printable } from "./printable.ts";

/** Blocks for a program: tab-separated rows, no header, no colour, no advice, nothing cut off. */
export function renderForPipe(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => {
    if (block.kind !== "paragraph") return block.rows.map((row) => tabbedLine(row));
    return block.isAdvice ? [] : block.lines.map((line) => `${printable(line)}\n`);
  });
  return lines.join("");
}
