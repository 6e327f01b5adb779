import { Buffer } from "node:buffer";
import { PAGE_LIMIT } from "../../src/contract/schemas.ts";
import type { PageRequest, RowPage } from "../store/sql-table.ts";
import { problemError } from "../wire/problem-error.ts";

/** What the query of every list has (product.md §5). */
interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** @param list whose cursors these are: one of another list is refused */
export const readPageRequest = (list: string, { limit, cursor }: PageQuery): PageRequest => ({
  before: cursor === undefined ? null : parseCursor(list, cursor),
  limit: limit ?? PAGE_LIMIT.default,
});

/** A page as every list answers it. The link is relative to the address that was asked, prefix, alias and all. */
export function renderPage<Row extends { readonly seq: number }, Item>(
  list: string,
  query: PageQuery & Readonly<Record<string, string | number | undefined>>,
  { rows, hasMore }: RowPage<Row>,
  itemOf: (row: Row) => Item,
): { json: { data: Item[]; nextCursor: string | null }; headers: Readonly<Record<string, string>> } {
  const last = rows.at(-1);
  const nextCursor = hasMore && last ? formatCursor(list, last.seq) : null;
  const json = { data: rows.map(itemOf), nextCursor };
  if (nextCursor === null) return { json, headers: {} };
  const next = new URLSearchParams({ ...toStrings(query), cursor: nextCursor });
  return { json, headers: { Link: `<?${next}>; rel="next"` } };
}

const toStrings = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

const formatCursor = (list: string, seq: number): string =>
  Buffer.from(`${list}:${seq}`).toString("base64url");

function parseCursor(list: string, cursor: string): number {
  const [, name, seq = ""] = /^(.+):(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (name === list && cursor === formatCursor(list, Number(seq))) return Number(seq);
  throw problemError(
    "cursor_invalid",
    "cursor: is none that this list has given out. Begin without one, and take nextCursor from there.",
    { errors: [{ parameter: "cursor", code: "malformed", detail: "cursor: is none of this list." }] },
  );
}
