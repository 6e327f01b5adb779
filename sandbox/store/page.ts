import type { SqlValue, Store } from "./open.ts";

/** Where a page of a list begins, and how long it is: rows below this seq, the newest first. */
export interface PageRequest {
  /** Null: from the newest one. */
  readonly before: number | null;
  readonly limit: number;
}

/** A page, and whether there is more behind it. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A table with a seq, and how its rows are read. */
export interface Table<Row> {
  readonly name: string;
  /** Those that `read` takes, in its order, as SQL. */
  readonly columns: string;
  readonly read: (row: SqlValue[]) => Row;
}

/** Column → the value that a row has; undefined: any. */
export type Wanted = Readonly<Record<string, SqlValue | undefined>>;

/** The newest rows first. */
export function newestRows<Row>(
  store: Store,
  { name, columns, read }: Table<Row>,
  wanted: Wanted,
  { before, limit }: PageRequest,
): Row[] {
  const only = Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  const rows = store.all(
    `SELECT ${columns} FROM ${name} WHERE ${only.map(([column]) => `${column} = ? AND `).join("")}seq < ?
     ORDER BY seq DESC LIMIT ?`,
    [...only.map(([, value]) => value), before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map(read);
}

export function pageOfRows<Row>(
  store: Store,
  table: Table<Row>,
  wanted: Wanted,
  page: PageRequest,
): Page<Row> {
  const { limit } = page;
  // One more than was asked for tells whether there is more.
  const found = newestRows(store, table, wanted, { ...page, limit: limit + 1 });
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
