import { formatCellText } from "./cell-text.ts";
import { type Card, type Cell, type ListColumn, readCell, type Table } from "./output.ts";

export const toCard = (fields: Readonly<Record<string, Cell>>, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: Object.entries(fields),
});

interface TableSource<T> {
  readonly title?: string;
  readonly columns: readonly ListColumn<NoInfer<T>>[];
  readonly items: readonly T[];
  readonly maxRows?: number;
}

/** A table of items. People and pipes alike get what the columns display. */
export const toTable = <T>({ columns, items, ...rest }: TableSource<T>): Table => ({
  ...rest,
  kind: "table",
  columns: columns.map(({ name, title = name, align }) => ({ name: title, ...(align && { align }) })),
  rows: items.map((item) => columns.map((column) => readDisplayedCell(column, item))),
});

function readDisplayedCell<T>(column: ListColumn<T>, item: T): Cell {
  if (column.display) return column.display(item);
  const value = readCell(column, item);
  return typeof value === "number" ? value : formatCellText(value) || null;
}
