import { isRecord, parseJsonText } from "../../domain/json.ts";
import type { RawRequest } from "../request.ts";

/** Statuses with which a service says that it did not execute a write (product.md §4, *Refused*). */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 407, 410, 411, 412, 413, 414, 415, 417, 421, 422, 425, 426, 428, 429, 431,
  451, 501, 505, 511,
]);

const REDIRECTS_OF_WRITES: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** The code of the contract for a key that was used with other content. */
export const KEY_REUSED = "idempotency_key_reused";

export interface RefusedWrite extends Pick<RawRequest, "headers" | "isSubmission"> {
  /** An absolute URL. */
  readonly url: string;
}

export interface ErrorResponseInfo {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the problem; undefined without one. */
  readonly code?: string | undefined;
  /** Null if the body did not arrive. */
  readonly text: string | null;
}

/**
 * Whether a response outside 2xx proves that the service did not execute a write. A proxy may have sent the request before,
 * and the response to the second copy says nothing about the first.
 */
export function provesNotExecuted(request: RefusedWrite, response: ErrorResponseInfo): boolean {
  const { headers, status } = response;
  if (REFUSING_STATUSES.has(status)) return true;
  if (REDIRECTS_OF_WRITES.has(status)) return correctsBaseUrl(request.url, headers.location);
  return status === 409 && !isAboutKey(request, response);
}

/** Whether a redirect leads to the same resource at another address, as for a wrong scheme or host of the base URL. */
function correctsBaseUrl(requestUrl: string, location: string | undefined): boolean {
  if (location === undefined || !URL.canParse(location, requestUrl)) return false;
  const asked = new URL(requestUrl);
  const target = new URL(location, requestUrl);
  const withoutSlash = ({ pathname }: URL) => pathname.replace(/\/$/, "");
  const isSameResource = withoutSlash(target) === withoutSlash(asked);
  const isOtherAddress = target.origin !== asked.origin || target.pathname !== asked.pathname;
  // Also "?" and "#" alone, which an URL object does not show.
  const rest = location.replace(/^[^?#]*/, "");
  const given = requestUrl.replace(/^[^?#]*/, "");
  return isSameResource && isOtherAddress && rest === given && !target.username && !target.password;
}

/** Whether a 409 may mean that another copy of this request runs, or has run, under its key. */
function isAboutKey(request: RefusedWrite, { code, headers, text }: ErrorResponseInfo): boolean {
  if (text === null) return true;
  if (isKeyReused(code, text)) return false;
  if (request.isSubmission || headers["retry-after"] !== undefined) return true;
  const key = request.headers?.["idempotency-key"];
  return /idempotency[-_ ]?key/i.test(text) || (key !== undefined && text.includes(key));
}

/** Whether a problem says that the key belongs to other content, by its code or, without one, by its type. */
export const isKeyReused = (code: string | undefined, text: string): boolean =>
  code === KEY_REUSED || (!isOfService(code) && hasProblemType(text));

/** Whether a code comes from the service, and is not made from the status. */
const isOfService = (code: string | undefined): boolean => code !== undefined && !/^http_\d+$/.test(code);

/** The `type` of a problem (RFC 9457) is a URI whose last part is the code. */
function hasProblemType(text: string): boolean {
  const problem = parseJsonText(text);
  const type = isRecord(problem) && typeof problem.type === "string" ? problem.type : "";
  return type.split(/[/#:]/).at(-1)?.replaceAll("-", "_") === KEY_REUSED;
}
