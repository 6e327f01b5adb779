import type { LocatedItems } from "../contract/mapping/list.ts";
import type { ResponseReader } from "../contract/mapping/read.ts";
import { rejectedError, unreachableError, usageError } from "../domain/errors.ts";
import { parseJsonBody } from "./http/classify-body.ts";
import type { ApiResponse } from "./http/response.ts";
import type { RawRequest } from "./request.ts";

export interface Page extends ApiResponse {
  /** The body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Null if the response has no list. Without the rows of a mapped list whose id came before. */
  readonly located: LocatedItems | null;
  /** How many rows of the page an earlier page had. */
  readonly repeatedRows: number;
  /** The URL of the next page, as the service writes it; null at the end. */
  readonly next: string | null;
}

/** An empty page may have a next one, but not endlessly. */
const MAX_PAGES_WITHOUT_ROWS = 10;

/** Follows a list by its line of the mapping; without one, by `Link: rel="next"` (RFC 8288) or `nextCursor` in the body. */
export async function* followPages(
  send: (request: RawRequest) => Promise<ApiResponse>,
  request: RawRequest,
  baseUrl: string,
  reader: ResponseReader,
): AsyncGenerator<Page> {
  const seenPaths = new Set<string>();
  const seenIds = new Set<string>();
  const pager = reader.createPager();
  let path: string | null = request.path;
  let last: ApiResponse | null = null;
  while (path !== null) {
    if (seenPaths.has(path)) throw pagingLoopError(path);
    seenPaths.add(path);
    const response: ApiResponse = await send({ ...request, path });
    const json = parseJsonBody(response);
    const all = reader.locateItems(json);
    const rows = all?.items.length ?? 0;
    const located = all && reader.isMappedList ? takeNew(all, seenIds) : all;
    const repeatedRows = rows - (located?.items.length ?? 0);
    const isRepeated = repeatedRows === rows || last?.body.equals(response.body);
    if (last && rows > 0 && isRepeated) throw repeatedPageError(path);
    const next = pager.findNext({ url: baseUrl + path, headers: response.headers, body: json, rows });
    yield { ...response, json, located, repeatedRows, next };
    if (next === null) return;
    if (pager.pages > pager.rows + MAX_PAGES_WITHOUT_ROWS) throw endlessListError(pager);
    last = response;
    path = resolveNext(baseUrl, path, next);
  }
}

/** Leaves out the items whose id an earlier page had. @param seen ids in lower case, to which it adds those of the page */
function takeNew(located: LocatedItems, seen: Set<string>): LocatedItems {
  const items = located.items.filter(({ value: { id } }) => {
    if (typeof id !== "string" && typeof id !== "number") return true;
    const key = String(id).toLowerCase();
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return { ...located, items };
}

const pagingLoopError = (path: string) =>
  unreachableError("paging_loop", `the next page repeats an earlier one: ${path}`, {
    hint: "the service links its pages in a circle; all of them were read",
  });

const repeatedPageError = (path: string) =>
  rejectedError("list_incomplete", `the next page has no new row: ${path}`, {
    hint: "the service ignores what asks for the next page; a mapping says how its lists go on (`claims mapping learn`)",
  });

const endlessListError = ({ pages, rows }: { readonly pages: number; readonly rows: number }) =>
  rejectedError("list_incomplete", `the list has more pages (${pages}) than rows (${rows})`, {
    hint: "the service sends empty pages without an end; all rows that it sent were read",
  });

/** Path and query that are sent to a URL, relative to the base URL; null for the URL of another service. */
function toRelativePath(baseUrl: string, { origin, pathname, search }: URL): string | null {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  return origin === base.origin && pathname.startsWith(`${prefix}/`)
    ? pathname.slice(prefix.length) + search
    : null;
}

/** Path and query as sent: no dot segments, no fragment, slashes for backslashes. @throws ClaimsError `path_elsewhere` */
export function resolvePath(baseUrl: string, path: string): string {
  const sent = toRelativePath(baseUrl, new URL(baseUrl + path));
  if (sent !== null) return sent;
  throw usageError("path_elsewhere", `the path ${path} leads outside ${baseUrl}`, {
    hint: "write it without . and .. segments, or use another base URL",
  });
}

/** Path and query of the next page. The credential is sent only to the origin and the path prefix of the base URL. */
function resolveNext(baseUrl: string, path: string, next: string): string {
  const url = baseUrl + path;
  const nextPath = URL.canParse(next, url) ? toRelativePath(baseUrl, new URL(next, url)) : null;
  if (nextPath !== null) return nextPath;
  throw unreachableError("paging_elsewhere", `the next page is not on ${baseUrl}: ${next}`, {
    hint: "if it is right, read that page separately; the credential is not sent there",
  });
}
