import CliTable from "cli-table3";

// Its time grows with the square of both: it compares each cell with all rows above it, and shortens the text of a cell by one
// character at a time, for a debug message.
const PAGE_ROWS = 50;
const MAX_PIECE_LENGTH = 500;
const LONG_PIECES = new RegExp(`.{1,${MAX_PIECE_LENGTH}}`, "gsu");
const NO_BORDERS = Object.fromEntries(Object.keys(new CliTable().options.chars).map((name) => [name, ""]));

export interface RowLayout {
  /** Of each column; no cell is wider. */
  readonly widths: readonly number[];
  readonly columns: readonly { readonly align?: "right" }[];
  readonly gap: number;
  readonly indent: number;
}

export const splitLongText = (text: string): string[] =>
  text.length <= MAX_PIECE_LENGTH ? [text] : (text.match(LONG_PIECES) ?? []);

/** The lines of rows whose cells have one line each. */
export function* drawRows(rows: readonly string[][], layout: RowLayout): Generator<string> {
  for (let at = 0; at < rows.length; at += PAGE_ROWS) yield* drawPage(rows.slice(at, at + PAGE_ROWS), layout);
}

function drawPage(rows: readonly string[][], { widths, columns, gap, indent }: RowLayout): string[] {
  const table = new CliTable({
    chars: { ...NO_BORDERS, left: " ".repeat(indent) },
    colWidths: widths.map((width) => width + gap),
    colAligns: columns.map(({ align }) => align ?? "left"),
    style: { "padding-left": 0, "padding-right": gap, head: [], border: [] },
  });
  table.push(...rows);
  const lines = table.toString().split("\n");
  return lines.map((line) => line.trimEnd());
}
