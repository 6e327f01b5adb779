import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import { type ColumnFilter, listPage, type PageRequest, type RowPage, type TableReader } from "./row-page.ts";

// Rows that belong to partner + environment: to anybody else they do not exist (product.md §5).

/** The caller's row of that id. */
export function findOwnedRow<Row>(
  store: Store,
  { name, columns, read }: TableReader<Row>,
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

/** A page of the caller's rows, the newest first. */
export const listOwnedRows = <Row>(
  store: Store,
  table: TableReader<Row>,
  { partner, environment }: Caller,
  page: PageRequest,
  only: ColumnFilter = {},
): RowPage<Row> => listPage(store, table, { partner, environment, ...only }, page);
