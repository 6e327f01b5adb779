import { Buffer } from "node:buffer";
import { PAGE_LIMIT } from "../../src/contract/schemas.ts";
import type { PageWindow } from "../../src/contract/service-form/paging.ts";
import type { PageRequest, RowPage } from "../store/table.ts";
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
 * Responds with a page of a list. The link is relative to the requested address, so that it also works for an alias.
 *
 * @param noun the list's name: with its filters, it makes the cursors that are valid for it and for no other list
 */
export function renderPage<Row, Item>(
  noun: string,
  query: PageQuery,
  readPage: (page: PageRequest) => RowPage<Row & { readonly seq: number }>,
  toItem: (row: Row) => Item,
): {
  json: { data: Item[]; nextCursor: string | null };
  headers: Readonly<Record<string, string>>;
  window: () => PageWindow;
} {
  const { limit = PAGE_LIMIT.default, cursor, offset, ...filters } = query;
  const window = () => ({ offset: offset ?? 0, limit, total: countRows(readPage) });
  if (offset !== undefined) {
    const { rows, hasMore } = readPage({ before: null, limit: offset + limit });
    const nextCursor = hasMore ? String(offset + limit) : null;
    return { json: { data: rows.slice(offset).map(toItem), nextCursor }, headers: {}, window };
  }
  const list = JSON.stringify([noun, Object.entries(filters).sort()]);
  const before = cursor === undefined ? null : parseCursor(list, cursor);
  const { rows, hasMore } = readPage({ before, limit });
  const last = rows.at(-1);
  const nextCursor = hasMore && last ? formatCursor(list, last.seq) : null;
  const json = { data: rows.map(toItem), nextCursor };
  if (nextCursor === null) return { json, headers: {}, window };
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const next = new URLSearchParams({ ...Object.fromEntries(texts), cursor: nextCursor });
  return { json, headers: { Link: `<?${next}>; rel="next"` }, window };
}

const countRows = (readPage: (page: PageRequest) => RowPage<unknown>): number =>
  readPage({ before: null, limit: Number.MAX_SAFE_INTEGER - 1 }).rows.length;

const formatCursor = (list: string, seq: number): string =>
  Buffer.from(`${list}:${seq}`).toString("base64url");

function parseCursor(list: string, cursor: string): number {
  const [, name, seq = ""] = /^(.+):(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (name === list && cursor === formatCursor(list, Number(seq))) return Number(seq);
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
