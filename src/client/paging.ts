import { ClaimsError } from "../domain/errors.ts";
import type { ApiResponse } from "./http/response.ts";
import type { RawRequest } from "./request.ts";

/** Follows `Link: rel="next"` (RFC 8288), or else `parseNextCursor` in the body, as long as there is one. */
export async function* followPages(
  send: (request: RawRequest) => Promise<ApiResponse>,
  request: RawRequest,
  baseUrl: string,
): AsyncGenerator<ApiResponse> {
  const seen = new Set<string>();
  let path: string | null = request.path;
  while (path !== null) {
    seen.add(path);
    const answer = await send({ ...request, path });
    yield answer;
    path = findNextPath(answer, baseUrl, path);
    if (path !== null && seen.has(path)) throw pagingLoop(path);
  }
}

/** Whether there is a page after this one. */
export const hasNextPage = (answer: ApiResponse): boolean =>
  parseNextLink(answer.headers.link ?? "") !== null || parseNextCursor(answer) !== null;

/** Path and query of the next page, from the base URL; null after the last one. */
function findNextPath(answer: ApiResponse, baseUrl: string, path: string): string | null {
  const url = new URL(baseUrl + path);
  const link = parseNextLink(answer.headers.link ?? "");
  if (link !== null) return toPathBelow(baseUrl, link, url);
  const cursor = parseNextCursor(answer);
  if (cursor === null) return null;
  url.searchParams.set("cursor", cursor);
  return toPathBelow(baseUrl, url.href, url);
}

/** A link of a header: its target and its parameters, of which a quoted one may hold commas and semicolons. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<]*))?)*)/g;

const PARAMETER = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<]*)))?/g;

/** The target of the first link that leads to the next page; one with an `anchor` speaks of something else. */
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

function parseNextCursor({ body }: ApiResponse): string | null {
  try {
    const { nextCursor } = JSON.parse(body.toString("utf8")) as { nextCursor?: unknown };
    return typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null;
  } catch {
    // An answer that is no JSON object, such as CSV or `null`, has no cursor to follow.
    return null;
  }
}

/** Whether an address, with its dot segments resolved, is one of the service that a base URL names. */
export const isBelowBaseUrl = (baseUrl: string, { origin, pathname }: URL): boolean =>
  origin === new URL(baseUrl).origin && pathname.startsWith(`${pathPrefix(baseUrl)}/`);

const pathPrefix = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, "");

/** A credential goes only where it was given: to this origin, below the base URL's own path. */
function toPathBelow(baseUrl: string, target: string, current: URL): string {
  const next = URL.canParse(target, current.href) ? new URL(target, current) : null;
  if (next && isBelowBaseUrl(baseUrl, next))
    return next.pathname.slice(pathPrefix(baseUrl).length) + next.search;
  throw new ClaimsError("unreachable", "paging_elsewhere", `the next page is not on ${baseUrl}: ${target}`, {
    hint: "read that page by itself if it is right; the credential is not sent there",
  });
}

const pagingLoop = (path: string): ClaimsError =>
  new ClaimsError("unreachable", "paging_loop", `the next page was seen already: ${path}`, {
    hint: "the service leads in a circle; what was read so far is all there is to have",
  });
