import type { SqlValue, Store } from "./open.ts";

/** Where a page of a list begins, and how long it is: rows below this seq, the newest first. */
export interface PageRequest {
  /** Null: from the newest one. */
  readonly before: number | null;
  readonly limit: number;
}

/** A page, and whether there is more behind it. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A table with a seq, and how its rows are read. */
export interface TableReader<Row> {
  readonly name: string;
  /** Those that `read` takes, in its order, as SQL. */
  readonly columns: string;
  readonly read: (row: SqlValue[]) => Row;
}

/** Column → the value that a row has; undefined: any. */
export type ColumnFilter = Readonly<Record<string, SqlValue | undefined>>;

/** The newest rows first. */
export function listNewestRows<Row>(
  store: Store,
  { name, columns, read }: TableReader<Row>,
  filter: ColumnFilter,
  { before, limit }: PageRequest,
): Row[] {
  const only = Object.entries(filter).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  const rows = store.all(
    `SELECT ${columns} FROM ${name} WHERE ${only.map(([column]) => `${column} = ? AND `).join("")}seq < ?
     ORDER BY seq DESC LIMIT ?`,
    [...only.map(([, value]) => value), before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map(read);
}

export function listPage<Row>(
  store: Store,
  table: TableReader<Row>,
  filter: ColumnFilter,
  page: PageRequest,
): RowPage<Row> {
  const { limit } = page;
  // One more than was asked for tells whether there is more.
  const found = listNewestRows(store, table, filter, { ...page, limit: limit + 1 });
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
