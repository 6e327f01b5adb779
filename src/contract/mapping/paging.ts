import { parseContentRange } from "../../domain/content-range.ts";
import { isRecord } from "../../domain/json.ts";
import { findLink } from "../../domain/links.ts";
import { findHeaderName } from "./lines.ts";
import type { CountedPaging, Paging } from "./mapping.ts";
import { putAtPath, toPath, valueAtPath } from "./path.ts";

/** A response with the rows of a list, and what came before it. */
export interface ReceivedPage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly rows: number;
  readonly pagesBefore: number;
  readonly rowsBefore: number;
  /** Whether an earlier page had a link to the next one: then the last page is the one without. */
  readonly hadLink: boolean;
}

/** A link to the next page, or the parameter that asks for it. */
export type NextPage = { readonly link: string } | { readonly parameter: string; readonly value: string };

/** The next page, by the line of the mapping; without one, by `Link` or the contract's cursor. Null at the end. */
export function findNextPage(paging: Paging | undefined, page: ReceivedPage): NextPage | null {
  const { headers, body } = page;
  if (paging === "none") return null;
  if (typeof paging === "object" && "next" in paging) {
    const next = valueAtPath(body, toPath(paging.next));
    if ((typeof next !== "string" && typeof next !== "number") || next === "") return null;
    const { parameter } = paging;
    return parameter === undefined ? { link: String(next) } : { parameter, value: String(next) };
  }
  const link = findLink(headers.link ?? "", "next");
  if (link !== null) return { link };
  if (paging === undefined) {
    const cursor = isRecord(body) ? body.nextCursor : undefined;
    return typeof cursor === "string" && cursor !== "" ? { parameter: "cursor", value: cursor } : null;
  }
  if (paging === "link" || page.hadLink || !hasMore(paging, page)) return null;
  return "page" in paging
    ? { parameter: paging.page, value: String((paging.first ?? 1) + page.pagesBefore + 1) }
    : { parameter: paging.offset, value: String(page.rowsBefore + page.rows) };
}

/** Whether a counted page is not the last one. Without a sign, an empty page ends the list. */
function hasMore(
  paging: CountedPaging,
  { headers, body, rows, pagesBefore, rowsBefore }: ReceivedPage,
): boolean {
  const find = (line: string | undefined) => {
    if (line === undefined) return undefined;
    const header = findHeaderName(line);
    return header === null ? valueAtPath(body, toPath(line)) : headers[header];
  };
  if (rows === 0) return false;
  const more = find(paging.more);
  if (more !== undefined) return /^(true|yes|y|1)$/i.test(String(more));
  const pages = toCount(find(paging.pages));
  if (pages !== null) return pagesBefore + 1 < pages;
  const total = toCount(find(paging.total));
  if (total !== null) return rowsBefore + rows < total;
  const range = parseContentRange(headers["content-range"]);
  return !range || range.last + 1 < range.total;
}

const toCount = (value: unknown): number | null => (/^\d{1,15}$/.test(String(value)) ? Number(value) : null);

/** The rows that a page may have, and those of its list, which take a while to count. */
export interface PageWindow {
  readonly limit: number;
  readonly countRows: () => number;
}

/** What the sandbox knows of a page. */
export interface SentPage extends PageWindow {
  /** Null at the end: the cursor of the contract, or the rows before the next page of a counted list. */
  readonly next: string | null;
  /** The URL of the page with a parameter for the next one. */
  readonly urlOf: (parameter: string, value: string) => string;
}

/** Puts what the service says of the next page into a response. Without a line, it is as in the contract. */
export function writePaging(
  paging: Paging | undefined,
  document: unknown,
  headers: Record<string, string>,
  { next, urlOf, limit, countRows }: SentPage,
): void {
  const put = (line: string | undefined, value: () => unknown) => {
    if (line === undefined) return;
    const header = findHeaderName(line);
    if (header !== null) headers[header] = String(value());
    else if (isRecord(document)) putAtPath(document, toPath(line), value());
  };
  if (typeof paging === "string") return;
  if (paging === undefined) put("nextCursor", () => next);
  else if ("next" in paging) {
    const isUrl = paging.parameter === undefined && next !== null;
    put(paging.next, () => (isUrl ? urlOf("cursor", next) : next));
  } else {
    put(paging.more, () => next !== null);
    put(paging.total, countRows);
    put(paging.pages, () => Math.max(1, Math.ceil(countRows() / Math.max(limit, 1))));
  }
}
