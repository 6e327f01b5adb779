import type { Context } from "../../../context.ts";
import type { ListColumn } from "../../../output/output.ts";
import type { ServiceRecord } from "../../../records/paged-list.ts";

/** A table as it is at one moment. */
interface TableFrame {
  readonly items: readonly ServiceRecord[];
  readonly columns: readonly ListColumn<ServiceRecord>[];
  /** Shown in place of a table without rows. */
  readonly empty: string;
}

/** A table on a terminal, drawn over itself: what is the same is not drawn again. */
export async function* drawLiveTable(
  { stdout }: Pick<Context, "stdout">,
  frames: AsyncIterable<TableFrame>,
): AsyncGenerator<string> {
  const { renderTableLines: tableLines } = await import("../../../output/blocks.ts");
  let before = "";
  let height = 0;
  for await (const { items, columns, empty } of frames) {
    const lines: string[] = [];
    for await (const line of tableLines(items, columns, stdout.columns, (text) => text)) lines.push(line);
    const text = lines.join("") || `${empty}\n`;
    if (text === before) continue;
    // Up to the first line of what was drawn, and away with all below (ECMA-48 §8.3.22, §8.3.39).
    yield (height > 0 ? `\u001b[${height}A\u001b[J` : "") + text;
    before = text;
    height = text.split("\n").length - 1;
  }
}
