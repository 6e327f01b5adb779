import type { LocatedItems } from "../contract/mapping/list.ts";
import type { NextPage } from "../contract/mapping/paging.ts";
import type { ResponseReader } from "../contract/mapping/read.ts";
import { rejectedError, unreachableError, usageError } from "../domain/errors.ts";
import { parseJsonBody } from "./http/describe-body.ts";
import type { ApiResponse } from "./http/response.ts";
import type { RawRequest } from "./request.ts";

export interface Page extends ApiResponse {
  /** The body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Null if the response has no list. Without the rows of a mapped list whose id came before. */
  readonly located: LocatedItems | null;
  /** How many rows of the page an earlier page had. */
  readonly repeatedRows: number;
  readonly next: NextPage | null;
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
  let progress = { pagesBefore: 0, rowsBefore: 0, hadLink: false };
  let path: string | null = request.path;
  let last: ApiResponse | null = null;
  while (path !== null) {
    if (seenPaths.has(path))
      throw unreachableError("paging_loop", `the next page repeats an earlier one: ${path}`, {
        hint: "the service links its pages in a circle; all of them were read",
      });
    seenPaths.add(path);
    const response: ApiResponse = await send({ ...request, path });
    const json = parseJsonBody(response);
    const found = reader.locateItems(json);
    const count = found?.items.length ?? 0;
    const located = found && reader.isMappedList ? takeNew(found, seenIds) : found;
    const repeatedRows = count - (located?.items.length ?? 0);
    if (last && count > 0 && (repeatedRows === count || last.body.equals(response.body)))
      throw repeatedPageError(path);
    const next = reader.findNextPage({ headers: response.headers, body: json, rows: count, ...progress });
    yield { ...response, json, located, repeatedRows, next };
    progress = {
      pagesBefore: progress.pagesBefore + 1,
      rowsBefore: progress.rowsBefore + count,
      hadLink: progress.hadLink || (next !== null && "link" in next),
    };
    if (next !== null && progress.pagesBefore > progress.rowsBefore + MAX_PAGES_WITHOUT_ROWS)
      throw endlessListError(progress);
    last = response;
    path = next && findNextPath(next, baseUrl, path);
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

const repeatedPageError = (path: string) =>
  rejectedError("list_incomplete", `the next page has no new row: ${path}`, {
    hint: "the service ignores what asks for the next page; a mapping says how its lists go on (`claims mapping learn`)",
  });

const endlessListError = ({ pagesBefore, rowsBefore }: { pagesBefore: number; rowsBefore: number }) =>
  rejectedError("list_incomplete", `the list has more pages (${pagesBefore}) than rows (${rowsBefore})`, {
    hint: "the service sends empty pages without an end; all rows that it sent were read",
  });

/** Path and query of the next page, relative to the base URL. */
function findNextPath(next: NextPage, baseUrl: string, path: string): string {
  const url = new URL(baseUrl + path);
  if ("link" in next) return toPathBelow(baseUrl, next.link, url);
  url.searchParams.set(next.parameter, next.value);
  return toPathBelow(baseUrl, url.href, url);
}

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

/** Sends the credential only to the origin and the path prefix of the base URL. */
function toPathBelow(baseUrl: string, target: string, current: URL): string {
  const next = URL.canParse(target, current.href) ? new URL(target, current) : null;
  const path = next && toRelativePath(baseUrl, next);
  if (path !== null) return path;
  throw unreachableError("paging_elsewhere", `the next page is not on ${baseUrl}: ${target}`, {
    hint: "if it is right, read that page separately; the credential is not sent there",
  });
}
