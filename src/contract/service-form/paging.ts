import { isRecord } from "../../domain/json.ts";
import { parsePlace, putAtPlace, valueAtPlace } from "./places.ts";
import type { PagingForm } from "./service-form.ts";

/** The paging of the contract: a cursor in the body, and a link to the next page. */
export const CONTRACT_PAGING = {
  kind: "cursor",
  parameter: "cursor",
  size: "limit",
  next: "nextCursor",
  link: true,
} as const satisfies PagingForm;

/** The rows before a page, the rows that it may have, and the number of all rows. */
export interface PageWindow {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}

export interface PageContext {
  readonly query: URLSearchParams;
  /** Of the request. */
  readonly origin?: string;
  readonly path?: string;
  /** What the sandbox knows of a page. The count of all rows takes a while. */
  readonly window?: () => PageWindow;
}

const toCount = (value: unknown): number | null => {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) ? number : null;
};

/** Whether the body says what the next page is; otherwise the `Link` header does. */
export const isReadFromBody = ({ kind, next }: PagingForm): boolean => kind !== "link" || next !== undefined;

/** The next page in a response, as text for the query parameter; null if there is none. */
export function readNextPage(
  paging: PagingForm,
  body: unknown,
  rows: number,
  headers: Readonly<Record<string, string>>,
  { query }: PageContext,
): string | null {
  const { kind, parameter = "", next, isUrl } = paging;
  if (kind === "none" || !isReadFromBody(paging)) return null;
  if (next !== undefined) {
    const value = valueAtPlace(body, parsePlace(next));
    if (isUrl) return typeof value === "string" ? readParameter(value, parameter) : null;
    if (kind === "cursor" || kind === "link" || (value !== undefined && typeof value !== "boolean"))
      return value === null || value === undefined || value === "" ? null : String(value);
  }
  if (kind === "cursor" || kind === "link") return null;
  const first = kind === "page" ? (paging.first ?? 1) : 0;
  const at = toCount(query.get(parameter)) ?? first;
  const end = kind === "page" ? at + 1 : at + rows;
  return hasMore(paging, body, rows, headers, { at, first, end, query }) ? String(end) : null;
}

/** By what the response says; a response that says nothing ends with an empty page. */
function hasMore(
  { kind, hasMore: flag, pages, total, size = "", rows: defaultRows, contentRange }: PagingForm,
  body: unknown,
  rows: number,
  headers: Readonly<Record<string, string>>,
  { at, first, end, query }: { at: number; first: number; end: number; query: URLSearchParams },
): boolean {
  const find = (place: string | undefined) =>
    place === undefined ? undefined : valueAtPlace(body, parsePlace(place));
  const more = find(flag);
  if (more !== undefined) return more === true || more === 1 || /^(true|yes|y|1)$/i.test(String(more));
  const pageCount = toCount(find(pages));
  if (pageCount !== null && kind === "page") return end - first < pageCount;
  const range = contentRange === undefined ? null : /(\d+)-(\d+)\/(\d+)/.exec(headers["content-range"] ?? "");
  if (range) return Number(range[2]) + 1 < Number(range[3]);
  const rowCount = toCount(find(total));
  const perPage = toCount(query.get(size)) ?? defaultRows ?? rows;
  if (rowCount !== null)
    return rows > 0 && (kind === "page" ? (at - first) * perPage + rows : end) < rowCount;
  return rows > 0;
}

export const readParameter = (url: string, name: string): string | null =>
  new URLSearchParams(url.replace(/#.*$/s, "").replace(/^[^?]*\?/s, "")).get(name);

export function writePage(
  paging: PagingForm,
  document: unknown,
  nextCursor: string | null,
  rows: number,
  headers: Record<string, string>,
  context: PageContext,
): void {
  const { kind, isUrl } = paging;
  const { window } = context;
  const { offset = 0, limit = paging.rows ?? rows, total = null } = (needsWindow(paging) && window?.()) || {};
  const pages = total === null ? null : Math.max(1, Math.ceil(total / Math.max(limit, 1)));
  const first = paging.first ?? 1;
  const current = kind === "page" ? Math.floor(offset / Math.max(limit, 1)) + first : offset;
  const isNumbered = kind === "page" && nextCursor !== null;
  const cursor = isNumbered ? String(current + 1) : nextCursor;
  const url = cursor === null ? null : pageUrl(paging, context, cursor);
  const put = (place: string | undefined, value: unknown) => {
    if (place !== undefined && isRecord(document) && value !== null)
      putAtPlace(document, parsePlace(place), value);
  };
  const number = kind === "cursor" || cursor === null ? cursor : Number(cursor);
  if (paging.next !== undefined && isRecord(document))
    putAtPlace(document, parsePlace(paging.next), isUrl ? url : number);
  const own =
    kind === "page" || kind === "offset" ? String(current) : context.query.get(paging.parameter ?? "");
  put(paging.self, pageUrl(paging, context, own));
  put(paging.hasMore, nextCursor !== null);
  put(paging.total, total);
  put(paging.pages, pages);
  put(paging.current, current);
  put(paging.count, kind === "page" ? limit : rows);
  if (paging.contentRange !== undefined && rows > 0)
    headers["Content-Range"] = `${paging.contentRange} ${offset}-${offset + rows - 1}/${total ?? "*"}`;
  if (url === null || !(paging.link ?? kind === "link")) delete headers.Link;
  else headers.Link = `<${url}>; rel="next"`;
}

const needsWindow = ({ kind, total, pages, contentRange }: PagingForm): boolean =>
  kind === "page" || kind === "offset" || [total, pages, contentRange].some((each) => each !== undefined);

function pageUrl(
  { parameter = "", size, rows, isAbsolute }: PagingForm,
  { query, origin = "", path = "" }: PageContext,
  page: string | null,
): string {
  const asked = new URLSearchParams(query);
  if (page !== null) asked.set(parameter, page);
  if (size !== undefined && rows !== undefined && !query.has(size)) asked.set(size, String(rows));
  return `${isAbsolute ? origin : ""}${path}?${asked}`;
}

export const listPagingPlaces = ({ next, self, total, pages, current, count, hasMore: more }: PagingForm) =>
  [next, self, total, pages, current, count, more].flatMap((place) =>
    place === undefined ? [] : [parsePlace(place)],
  );
