import { rejectedError, unreachableError, usageError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { parseJsonBody } from "./http/describe-body.ts";
import type { ApiResponse } from "./http/response.ts";
import type { RawRequest } from "./request.ts";

export interface Page extends ApiResponse {
  /** The body, in the form of the contract if that of the service is known; undefined if it is not JSON. */
  readonly json: unknown;
  /** The link, or the cursor, to the next page. */
  readonly next: { readonly link: string } | { readonly cursor: string; readonly parameter?: string } | null;
}

/** Follows `Link: rel="next"` (RFC 8288), or else `nextCursor` in the body. */
export async function* followPages(
  send: (request: RawRequest) => Promise<ApiResponse>,
  request: RawRequest,
  baseUrl: string,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let path: string | null = request.path;
  let last: Page | null = null;
  while (path !== null) {
    if (seen.has(path))
      throw unreachableError("paging_loop", `the next page repeats an earlier one: ${path}`, {
        hint: "the service links its pages in a circle; all of them were read",
      });
    seen.add(path);
    const page = toPage(await send({ ...request, path }));
    if (isRepeated(page, last)) throw repeatedPageError(path);
    yield page;
    last = page;
    path = page.next && findNextPath(page.next, baseUrl, path);
  }
}

/** A service that ignores the parameter of its form sends the same page again. */
const isRepeated = (page: Page, last: Page | null): boolean =>
  last?.next !== null &&
  last !== null &&
  "parameter" in last.next &&
  page.body.length > 0 &&
  page.body.equals(last.body);

const repeatedPageError = (path: string) =>
  rejectedError("list_incomplete", `the next page is the same as the one before it: ${path}`, {
    hint: "the service ignores the parameter of the page; all rows that it sends were read",
  });

function toPage(response: ApiResponse): Page {
  const sent = parseJsonBody(response);
  const { form, headers } = response;
  const json = form ? form.readDocument(sent, headers) : sent;
  const cursor = isRecord(json) && typeof json.nextCursor === "string" ? json.nextCursor : "";
  const parameter = form?.pageParameter;
  if (parameter) return { ...response, json, next: cursor === "" ? null : { cursor, parameter } };
  const link = parseNextLink(headers.link ?? "");
  return { ...response, json, next: link !== null ? { link } : cursor === "" ? null : { cursor } };
}

/** Path and query of the next page, relative to the base URL. */
function findNextPath(next: NonNullable<Page["next"]>, baseUrl: string, path: string): string {
  const url = new URL(baseUrl + path);
  if ("link" in next) return toPathBelow(baseUrl, next.link, url);
  url.searchParams.set(next.parameter ?? "cursor", next.cursor);
  return toPathBelow(baseUrl, url.href, url);
}

/** The target and the parameters of a link. A quoted parameter may contain commas and semicolons. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<]*))?)*)/g;

const PARAMETER = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<]*)))?/g;

/** The target of the first link to the next page. A link with an `anchor` is about another resource. */
export function parseNextLink(header: string): string | null {
  for (const [, target = "", parameters = ""] of header.matchAll(LINK)) {
    const found = new Map<string, string>();
    for (const [, name = "", quoted, bare = ""] of parameters.matchAll(PARAMETER)) {
      // The first `rel` counts (RFC 8288 §3.3).
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, "$1") ?? bare);
    }
    const relations = found.get("rel")?.toLowerCase().split(/\s+/) ?? [];
    if (relations.includes("next") && !found.has("anchor")) return target;
  }
  return null;
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
