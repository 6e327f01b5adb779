import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { type Page, type PageRequest, pageOf } from "./page.ts";

/** A table whose rows belong to partner + environment: to anybody else they do not exist (product.md §5). */
export interface OwnedTable<Row> {
  readonly name: string;
  /** Those that `read` takes, in its order, as SQL. */
  readonly columns: string;
  readonly read: (row: SqlValue[]) => Row;
}

/** The caller's row of that id. */
export function findOwned<Row>(
  store: Store,
  { name, columns, read }: OwnedTable<Row>,
  { partner, environment }: Caller,
  id: string,
): Row | undefined {
  const row = store.get(`SELECT ${columns} FROM ${name} WHERE id = ? AND partner = ? AND environment = ?`, [
    id,
    partner,
    environment,
  ]);
  return row && read(row);
}

/**
 * A page of the caller's rows, the newest first.
 *
 * @param only column → the value that its rows have; undefined: any
 */
export function pageOfOwned<Row>(
  store: Store,
  { name, columns, read }: OwnedTable<Row>,
  { partner, environment }: Caller,
  page: PageRequest,
  only: Readonly<Record<string, SqlValue | undefined>> = {},
): Page<Row> {
  const wanted = Object.entries(only).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  const conditions = wanted.map(([column]) => ` AND ${column} = ?`).join("");
  const rows = store.all(
    `SELECT ${columns} FROM ${name} WHERE partner = ? AND environment = ? AND seq < ?${conditions}
     ORDER BY seq DESC LIMIT ?`,
    [
      partner,
      environment,
      page.before ?? Number.MAX_SAFE_INTEGER,
      ...wanted.map(([, value]) => value),
      page.limit + 1,
    ],
  );
  return pageOf(rows.map(read), page);
}
