import { Buffer } from "node:buffer";
import { PAGE_LIMIT } from "../../src/contract/schemas.ts";
import type { PageRequest, RowPage } from "../store/table.ts";
import { problemError } from "../wire/problem-error.ts";

/** The query that every list has (product.md §5), and its filters. */
interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
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
): { json: { data: Item[]; nextCursor: string | null }; headers: Readonly<Record<string, string>> } {
  const { limit = PAGE_LIMIT.default, cursor, ...filters } = query;
  const list = JSON.stringify([noun, Object.entries(filters).sort()]);
  const before = cursor === undefined ? null : parseCursor(list, cursor);
  const { rows, hasMore } = readPage({ before, limit });
  const last = rows.at(-1);
  const nextCursor = hasMore && last ? formatCursor(list, last.seq) : null;
  const json = { data: rows.map(toItem), nextCursor };
  if (nextCursor === null) return { json, headers: {} };
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const next = new URLSearchParams({ ...Object.fromEntries(texts), cursor: nextCursor });
  return { json, headers: { Link: `<?${next}>; rel="next"` } };
}

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
