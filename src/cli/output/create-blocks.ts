import { formatCellText } from "./cell-text.ts";
import { type Card, type Cell, type ListColumn, readCell, type Table } from "./output.ts";

export const toCard = (section: string, fields: Readonly<Record<string, Cell>>, title?: string): Card => ({
  kind: "card",
  section,
  ...(title !== undefined && { title }),
  rows: Object.entries(fields),
});

interface TableSource<T> extends Pick<Table, "section" | "title" | "maxRows"> {
  readonly columns: readonly ListColumn<NoInfer<T>>[];
  readonly items: readonly T[];
}

/** A table of items. */
export const toTable = <T>({ columns, items, ...rest }: TableSource<T>): Table => ({
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
