import { formatCellText } from "./cell-text.ts";
import { type Card, type Cell, type ListColumn, readCell, type TableBlock } from "./output.ts";

/** @param fields by their labels on a terminal; a pipe gets the record instead, if there is one */
export const toCard = (
  section: string,
  fields: Readonly<Record<string, Cell>>,
  more: Pick<Card, "title" | "record"> = {},
): Card => ({ kind: "card", section, rows: Object.entries(fields), ...more });

interface TableSource<T> extends Pick<TableBlock, "section" | "title" | "maxRows"> {
  readonly columns: readonly ListColumn<NoInfer<T>>[];
  readonly items: readonly T[];
}

export const toTable = <T>({ columns, items, ...rest }: TableSource<T>): TableBlock => ({
  ...rest,
  kind: "table",
  columns: columns.map(({ name, title = name, align }) => ({ name: title, ...(align && { align }) })),
  rows: items.map((item) => columns.map((column) => readDisplayedCell(column, item))),
  values: items.map((item) => columns.map((column) => readCell(column, item))),
});

function readDisplayedCell<T>(column: ListColumn<T>, item: T): Cell {
  if (column.display) return column.display(item);
  const value = readCell(column, item);
  return typeof value === "number" ? value : formatCellText(value) || null;
}
