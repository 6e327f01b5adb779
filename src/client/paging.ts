import type { ListItem, LocatedItems } from "../contract/mapping/list.ts";
import type { ResponseReader } from "../contract/mapping/read.ts";
import { rejectedError, unreachableError, usageError } from "../domain/errors.ts";
import { parseJsonBody } from "./http/classify-body.ts";
import type { ApiResponse } from "./http/response.ts";
import { saysNoMore } from "./list-evidence.ts";
import type { RawRequest } from "./request.ts";

export interface Page extends ApiResponse {
  /** The body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Null if the response has no list. Without the rows that came before. */
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
  const seenRows = new Set<string>();
  const pager = reader.createPager();
  let path: string | null = request.path;
  let last: ApiResponse | null = null;
  /** Some services send a cursor with the last page, too. It is followed, but may lead to nothing new. */
  let saidNoMore = false;
  while (path !== null) {
    if (seenPaths.has(path)) {
      if (saidNoMore) return;
      throw pagingLoopError(path);
    }
    seenPaths.add(path);
    const response: ApiResponse = await send({ ...request, path });
    const json = parseJsonBody(response);
    const all = reader.locateItems(json);
    const rows = all?.items.length ?? 0;
    const located = all && takeNew(all, seenRows, reader.isMappedList);
    const repeatedRows = rows - (located?.items.length ?? 0);
    const isRepeated = repeatedRows === rows || last?.body.equals(response.body);
    if (last && rows > 0 && isRepeated) {
      if (saidNoMore) return;
      throw repeatedPageError(path);
    }
    const { headers } = response;
    const next = pager.findNext({ url: baseUrl + path, headers, body: json, rows });
    saidNoMore = saysNoMore(headers, all);
    yield { ...response, json, located, repeatedRows, next };
    if (next === null) return;
    if (pager.pages > pager.rows + MAX_PAGES_WITHOUT_ROWS) throw endlessListError(pager);
    last = response;
    path = resolveNext(baseUrl, path, next);
  }
}

/**
 * Leaves out the items that an earlier page had, as pages that overlap do: those with the same id. Without a mapping, `id` may
 * be something else, so that the whole row must be the same.
 *
 * @param seen the rows of earlier pages, to which it adds those of this one
 */
function takeNew(located: LocatedItems, seen: Set<string>, isMapped: boolean): LocatedItems {
  const keyOf = ({ sent, value: { id } }: ListItem): string | null => {
    if (typeof id !== "string" && typeof id !== "number") return null;
    return isMapped ? String(id).toLowerCase() : JSON.stringify(sent);
  };
  const items = located.items.filter((item) => {
    const key = keyOf(item);
    if (key === null) return true;
    const isNew = !seen.has(key);
    if (isMapped) seen.add(key);
    return isNew;
  });
  if (!isMapped) for (const item of items) seen.add(keyOf(item) ?? "");
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
