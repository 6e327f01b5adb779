import type { Block } from "./output.ts";
import { printable } from "./printable.ts";

/** Blocks for a program: tab-separated rows, no header, no colour, nothing cut off. */
export function renderForPipe(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => {
    if (block.kind === "paragraph") return block.lines.map(printable);
    return block.rows.map((row) => row.map((cell) => printable(String(cell ?? ""))).join("\t"));
  });
  return lines.map((line) => `${line}\n`).join("");
}
