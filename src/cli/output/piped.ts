import { tabbedLine } from "./cell-text.ts";
import type { Block } from "./output.ts";
import { printable } from "./printable.ts";

/** Blocks for a program: tab-separated rows, no header, no colour, nothing cut off. */
export function renderForPipe(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) =>
    block.kind === "paragraph"
      ? block.lines.map((line) => `${printable(line)}\n`)
      : block.rows.map((row) => tabbedLine(row)),
  );
  return lines.join("");
}
