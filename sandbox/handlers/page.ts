import { Buffer } from "node:buffer";
import type { PageWindow } from "../../src/contract/mapping/paging.ts";
import { PAGE_LIMIT } from "../../src/contract/schemas.ts";
import type { Engine } from "../engine/engine.ts";
import type { Caller } from "../store/credentials.ts";
import type { Table } from "../store/table.ts";
import { problemError } from "../wire/problem-error.ts";

/** The query that every list has (product.md §5), and its filters. */
interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** The rows before the page, for a service whose pages have numbers. */
  readonly offset?: number;
  readonly [filter: string]: string | number | undefined;
}

/**
 * Responds with a page of the caller's rows of a table. The filters of the query are columns of it. The link is relative
 * to the requested address, so that it also works for an alias.
 *
 * @param noun the list's name: with its filters, it makes the cursors that are valid for it and for no other list
 * @param caller what the rows of the table belong to: a partner, and mostly one of its environments
 */
export function renderRows<Row extends { readonly seq: number }, Item>(
  noun: string,
  table: Table<Row, never>,
  { caller, query }: { readonly caller: Partial<Caller>; readonly query: PageQuery },
  toItem: (row: Row) => Item,
  { store, service }: Engine,
): {
  json: { data: Item[]; nextCursor: string | null };
  headers: Readonly<Record<string, string>>;
  window: PageWindow;
} {
  const { limit: wanted = PAGE_LIMIT.default, cursor, offset, ...filters } = query;
  const isVaried = service.variants.paging !== null;
  const limit = isVaried ? Math.min(Math.max(wanted - 1, 1), MAX_VARIED_ITEMS) : wanted;
  const filter = { ...filters, ...caller } as Partial<Row>;
  const window = { limit, countRows: () => table.sum(store, filter).count };
  if (offset !== undefined) {
    const { rows, hasMore } = table.page(store, filter, { before: null, limit: offset + limit });
    const nextCursor = hasMore ? String(offset + limit) : null;
    return { json: { data: rows.slice(offset).map(toItem), nextCursor }, headers: {}, window };
  }
  const list = JSON.stringify([noun, Object.entries(filters).sort()]);
  const before = cursor === undefined ? null : parseCursor(list, cursor, isVaried);
  const { rows, hasMore } = table.page(store, filter, { before, limit });
  const last = rows.at(-1);
  const nextCursor = hasMore && last ? formatCursor(list, last.seq, isVaried) : null;
  const json = { data: rows.map(toItem), nextCursor };
  if (nextCursor === null) return { json, headers: {}, window };
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const next = new URLSearchParams({ ...Object.fromEntries(texts), cursor: nextCursor });
  return { json, headers: { Link: `<?${next}>; rel="next"` }, window };
}

/** Fewer than most programs ask for; others get one item fewer than they asked for. */
const MAX_VARIED_ITEMS = 20;

/** What a program changes that does not encode a cursor for its query, or encodes it twice. */
const VARIED_CURSOR_END = "+/=&%2B";

const formatCursor = (list: string, seq: number, isVaried: boolean): string =>
  Buffer.from(`${list}:${seq}`).toString("base64url") + (isVaried ? VARIED_CURSOR_END : "");

function parseCursor(list: string, cursor: string, isVaried: boolean): number {
  const [, name, seq = ""] = /^(.+):(\d{1,15})/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (name === list && cursor === formatCursor(list, Number(seq), isVaried)) return Number(seq);
  throw problemError(
    "cursor_invalid",
    "cursor: this list has not returned it with this filter. Start without a cursor, and follow nextCursor.",
    {
      errors: [
        { parameter: "cursor", code: "malformed", detail: "cursor: not a cursor of this list and filter." },
      ],
    },
  );
}
