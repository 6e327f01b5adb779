import { parseContentRange } from "../../domain/content-range.ts";
import { findLink } from "../../domain/links.ts";
import { findHeaderName } from "./lines.ts";
import type { CountedPaging, Paging } from "./mapping.ts";
import { putAtPath, toPath, valueAtPath } from "./path.ts";

/** A response with rows of a list. */
interface ReceivedPage {
  /** An absolute URL. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly rows: number;
}

/** Without a line of the mapping, a list goes on by `Link` or the contract's cursor. */
const CONTRACT_PAGING = { next: "nextCursor", parameter: "cursor" } as const satisfies Paging;

/** service → contract: finds the next page of a list, page by page. */
export class Pager {
  /** So far, with the page that {@link findNext} got. */
  pages = 0;
  rows = 0;
  #hadLink = false;
  readonly #paging: Paging | undefined;

  constructor(paging: Paging | undefined) {
    this.#paging = paging;
  }

  /** The URL of the next page, as the service writes it: it may be relative to that of the page. Null at the end. */
  findNext(page: ReceivedPage): string | null {
    this.pages += 1;
    this.rows += page.rows;
    const paging = this.#paging;
    if (paging === "none") return null;
    if (typeof paging === "object" && "next" in paging) return findNextInBody(paging, page);
    const link = findLink(page.headers.link ?? "", "next");
    if (link !== null) {
      this.#hadLink = true;
      return link;
    }
    if (paging === undefined)
      return typeof Object(page.body).nextCursor === "string" ? findNextInBody(CONTRACT_PAGING, page) : null;
    // A link wins over counting: after one, the last page is the one without.
    if (paging === "link" || this.#hadLink || !this.#hasMore(paging, page)) return null;
    return "page" in paging
      ? withParameter(page.url, paging.page, (paging.first ?? 1) + this.pages)
      : withParameter(page.url, paging.offset, this.rows);
  }

  /** Whether a counted page is not the last one. Without a sign, an empty page ends the list. */
  #hasMore(paging: CountedPaging, { headers, body, rows }: ReceivedPage): boolean {
    const find = (locator: string | undefined) => {
      if (locator === undefined) return undefined;
      const header = findHeaderName(locator);
      return header === null ? valueAtPath(body, toPath(locator)) : headers[header];
    };
    if (rows === 0) return false;
    const more = find(paging.more);
    if (more !== undefined) return /^(true|yes|y|1)$/i.test(String(more));
    const pages = toCount(find(paging.pages));
    if (pages !== null) return this.pages < pages;
    const total = toCount(find(paging.total));
    if (total !== null) return this.rows < total;
    const range = parseContentRange(headers["content-range"]);
    return !range || range.last + 1 < range.total;
  }
}

function findNextInBody(
  { next: path, parameter }: { readonly next: string; readonly parameter?: string },
  { url, body }: ReceivedPage,
): string | null {
  const next = valueAtPath(body, toPath(path));
  if ((typeof next !== "string" && typeof next !== "number") || next === "") return null;
  return parameter === undefined ? String(next) : withParameter(url, parameter, next);
}

function withParameter(url: string, name: string, value: string | number): string {
  const changed = new URL(url);
  changed.searchParams.set(name, String(value));
  return changed.href;
}

const toCount = (value: unknown): number | null => (/^\d{1,15}$/.test(String(value)) ? Number(value) : null);

/** The rows that a page may have, and those of its list, which take a while to count. */
export interface PageWindow {
  readonly limit: number;
  readonly countRows: () => number;
}

/** What the sandbox knows of a page. */
export interface SentPage {
  /** An absolute URL. */
  readonly url: string;
  readonly window?: PageWindow | undefined;
}

/**
 * contract → service: what a response says of the next page, and where; null if it says nothing.
 *
 * @param next null at the end: the cursor of the contract, or the rows before the next page of a counted list
 */
function describeNext(
  paging: Paging,
  next: string | null,
  { url, window: { limit, countRows } = { limit: 1, countRows: () => 0 } }: SentPage,
): readonly [locator: string, value: unknown] | null {
  // A link is in its header already, and a list without pages has no next one.
  if (paging === "link" || paging === "none") return null;
  if ("next" in paging) {
    const isUrl = paging.parameter === undefined && next !== null;
    return [paging.next, isUrl ? withParameter(url, CONTRACT_PAGING.parameter, next) : next];
  }
  const { more, pages, total } = paging;
  if (more !== undefined) return [more, next !== null];
  if (total !== undefined) return [total, countRows()];
  return pages === undefined ? null : [pages, Math.max(1, Math.ceil(countRows() / Math.max(limit, 1)))];
}

/** Puts what the service says of the next page into its response. @param document null if the body is the list itself */
export function writePaging(
  paging: Paging = CONTRACT_PAGING,
  document: Record<string, unknown> | null,
  headers: Record<string, string>,
  next: string | null,
  page: SentPage,
): void {
  const said = describeNext(paging, next, page);
  if (said === null) return;
  const [locator, value] = said;
  const header = findHeaderName(locator);
  if (header !== null) headers[header] = String(value);
  else if (document) putAtPath(document, toPath(locator), value);
}
