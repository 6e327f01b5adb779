import { Buffer } from "node:buffer";
import { classifyError, readError, STATUS_OF_CLASS } from "../../contract/mapping/errors.ts";
import type { Mapping } from "../../contract/mapping/mapping.ts";
import type { ErrorKind } from "../../domain/error-codes.ts";
import { ClaimsError } from "../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../domain/json.ts";
import { parseRetryAfter } from "../../domain/retry-after.ts";
import { type Credential, MIN_SECRET_LENGTH, secretOf } from "../auth/credential.ts";
import { classifyBody, parseJsonBody } from "./classify-body.ts";
import { isKeyReused, KEY_REUSED } from "./refusal.ts";
import { readResponse, type StreamingResponse } from "./response.ts";

interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/**
 * Reads a response outside 2xx.
 *
 * @param canIgnoreBody whether its status alone says what became of the request; the body is null then if it cannot be read
 */
export async function readErrorResponse(
  response: StreamingResponse,
  receivedAt: number,
  canIgnoreBody: boolean,
): Promise<ErrorResponse> {
  try {
    return { ...(await readResponse(response)), receivedAt };
  } catch (error) {
    // Truncated, too late or too large. An interruption by the user ends the command.
    const isBodyUnreadable = error instanceof ClaimsError && error.kind !== "interrupted";
    if (!isBodyUnreadable || !canIgnoreBody) throw error;
    return { ...response, body: null, receivedAt };
  }
}

export interface SentCredential {
  readonly credential: Credential | null;
  /** The header as sent. An access token is not part of the credential. */
  readonly authorization: string | null;
}

/**
 * The error for a response outside 2xx. Its kind follows from the status alone, because interface §7 shows no error body. The
 * message quotes a body in one of the usual shapes (RFC 9457, RFC 6749 §5.2), with credentials redacted.
 *
 * @param requestLine as in `GET /v1/clients`
 */
export function responseError(
  { status, headers, body, receivedAt }: ErrorResponse,
  requestLine: string,
  sent: SentCredential,
  { mapping, kind }: { readonly mapping?: Mapping | undefined; readonly kind?: ErrorKind } = {},
): ClaimsError {
  const response = {
    status,
    headers: redactHeaders(headers, sent),
    body: body && Buffer.from(redact(body.toString("utf8"), sent)),
    receivedAt,
  };
  // Again, because JSON may write a credential with escapes.
  const read = redactTexts(parseErrorBody(response), sent);
  const { suggestsWrongBaseUrl, requestId, ...details } = mapping
    ? applyMapping(mapping, read, response, sent)
    : read;
  const code = isKeyReused(details.code, response.body?.toString("utf8") ?? "") ? KEY_REUSED : details.code;
  const meaning = mapping && classifyError(mapping["error.words"], { status, code: code ?? null });
  const errorKind = kind ?? errorKindOf(meaning ? STATUS_OF_CLASS[meaning] : status);
  const retryAfterMs = parseRetryAfter(headers, receivedAt);
  const text = details.text.replace(/\.$/, "");
  // A problem with a hint is for the user of a `claims sandbox` command, who did not write the request.
  const message = details.hint ? text : `${text} (${requestLine} → ${status})`;
  return new ClaimsError(errorKind, code ?? `http_${status}`, message, {
    status,
    request: requestLine,
    requestId: response.headers["x-request-id"] ?? requestId,
    // A service that asks for another try later did not execute the request.
    retryable: errorKind === "unreachable" || (status === 409 && retryAfterMs !== null),
    retryAfterMs: retryAfterMs ?? undefined,
    hint: suggestsWrongBaseUrl
      ? "this does not look like the claims service: check the base URL"
      : (details.hint ??
        CODE_HINTS.get(code ?? "") ??
        (status === 401 || kind === "credential"
          ? chooseCredentialHint(sent.credential)
          : chooseHint(response, requestLine))),
  });
}

/** The same for the token route: any 4xx means that it rejects the credential (RFC 6749 §5.2). */
export function tokenResponseError(
  response: ErrorResponse,
  requestLine: string,
  sent: SentCredential,
): ClaimsError {
  const kind = errorKindOf(response.status);
  return responseError(response, requestLine, sent, { kind: kind === "rejected" ? "credential" : kind });
}

export const redactHeaders = (
  headers: ErrorResponse["headers"],
  sent: SentCredential,
): ErrorResponse["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value, sent)]));

const redactTexts = <Texts extends object>(texts: Texts, sent: SentCredential): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === "string" ? redact(text, sent) : text]),
  ) as Texts;

/** Secrets of a sandbox, and of services like it. */
const SECRET_FORM = /(?:whsec_|(?<![A-Za-z0-9])(?:sk|at|cs)_)[\w-]{8,}/g;

function redact(text: string, { credential, authorization }: SentCredential): string {
  const secrets = [
    authorization?.replace(/^Bearer /, "") ?? "",
    credential === null ? "" : secretOf(credential),
  ];
  return secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text)
    .replace(SECRET_FORM, "[redacted]");
}

function errorKindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return TRY_LATER_STATUSES.includes(status) || status >= 500 ? "unreachable" : "rejected";
}

/** Request Timeout, Too Early, Too Many Requests. */
const TRY_LATER_STATUSES: readonly number[] = [408, 425, 429];

/** Not an object: a service can send `__proto__`. */
const CODE_HINTS = new Map([
  ["route_not_found", "check the path and the base URL"],
  [KEY_REUSED, "the service knows the key from other content: send the request under another key"],
]);

const STATUS_HINTS: Readonly<Record<number, string>> = {
  206: "a proxy or a cache in between may cut responses: try again, or ask its operator",
  403: "the credential is valid, but is for another environment or has no access here",
  404: "check the id, the environment and the base URL; a sandbox forgets everything when it stops",
  409: "the state of the resource does not allow this; look at it first",
  413: "send less at once",
};

function chooseHint({ status, headers, receivedAt }: ErrorResponse, requestLine: string): string {
  if (isRedirect(status)) return chooseRedirectHint(headers.location, requestLine);
  const pause = headers["retry-after"];
  const isOver = parseRetryAfter(headers, receivedAt) === 0;
  if (pause !== undefined && !isOver)
    return `the service asks you to wait (Retry-After: ${pause}); then try again`;
  if (TRY_LATER_STATUSES.includes(status) || status >= 500) return "try again later";
  return STATUS_HINTS[status] ?? "correct the request and try again";
}

/** A redirect may only correct the base URL, or only the slash at the end of the path. */
function chooseRedirectHint(location: string | undefined, requestLine: string): string {
  const asked = requestLine.replace(/^\S+ |[?#].*$/g, "");
  const target = (location ?? "").replace(/[?#].*$/, "");
  const withoutSlash = (path: string) => path.replace(/\/$/, "");
  if (!target.endsWith(asked) && withoutSlash(target).endsWith(withoutSlash(asked)))
    return "it leads to the same path with another slash at the end, which is not one of the interface: ask the operator of the service";
  return `if ${location ?? "that"} is right, use it without the path of the request as the base URL`;
}

function chooseCredentialHint(credential: Credential | null): string {
  if (credential === null) return "set CLAIMS_API_KEY";
  const name = credential.kind === "api_key" ? "the API key" : "client id and secret";
  return `check that ${name} and the base URL belong together`;
}

interface ParsedError {
  readonly text: string;
  /** Whether some web server may have sent it, and not the service or a proxy before it. */
  readonly suggestsWrongBaseUrl: boolean;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** A member of the sandbox's own problems. */
  readonly hint?: string | undefined;
}

const PARTIAL_CONTENT = 206;

function parseErrorBody(response: ErrorResponse): ParsedError {
  const { status, headers, body } = response;
  // Its body is data, not an explanation.
  if (status === PARTIAL_CONTENT)
    return { suggestsWrongBaseUrl: false, text: "a part of the response came, which was not asked for" };
  const parsed = parseBodyOfKind(response);
  if (!isRedirect(status)) return parsed;
  const redirect = headers.location ? `a redirect to ${headers.location}` : "a redirect without a Location";
  const text = !parsed.suggestsWrongBaseUrl && body?.length ? `${redirect}: ${parsed.text}` : redirect;
  return { ...parsed, text, suggestsWrongBaseUrl: false };
}

function parseBodyOfKind({ status, headers, body }: ErrorResponse): ParsedError {
  if (body === null) return { suggestsWrongBaseUrl: false, text: "the response was truncated" };
  const { kind, text } = classifyBody({ status, headers, body });
  const content = body.toString("utf8");
  switch (kind) {
    case "empty":
      return { suggestsWrongBaseUrl: false, text: "an empty response" };
    case "object":
    case "json":
      return parseJsonError(parseJsonText(content));
    case "text":
      return parseTextError(content, status);
    case "page":
    case "binary":
      return { suggestsWrongBaseUrl: anyServerSends(status), text };
  }
}

/** A code or a message with a line is read there, and nowhere else. */
function applyMapping(
  mapping: Mapping,
  read: ParsedError,
  { headers, body }: ErrorResponse,
  sent: SentCredential,
): ParsedError {
  const document = body && (parseJsonBody({ headers, body }) ?? body.toString("utf8"));
  const { code, message } = readError(mapping, document);
  const isCode = code != null && /^[\w.:-]{1,100}$/.test(code);
  return {
    ...read,
    suggestsWrongBaseUrl: read.suggestsWrongBaseUrl && message == null,
    ...(message && { text: truncate(redact(message, sent)) }),
    ...(code !== undefined && { code: isCode ? code : undefined }),
  };
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Any web server has pages for redirects, 404 and 405; one for 422 comes from a service that read the request. */
const anyServerSends = (status: number): boolean => status < 400 || status === 404 || status === 405;

/** Reads text without its tags: it may be XML, or a page without a content type. */
function parseTextError(content: string, status: number): ParsedError {
  const isMarkup = content.trimStart().startsWith("<");
  return {
    suggestsWrongBaseUrl: isMarkup && anyServerSends(status),
    text: truncate(
      content
        .slice(0, MAX_PAGE_CHARACTERS)
        .replace(/<[^<>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    ),
  };
}

/** Reads RFC 9457, RFC 6749 §5.2, or either of them in an `error` object; otherwise what the body has of text. */
function parseJsonError(json: unknown): ParsedError {
  const outer = isRecord(json) ? json : {};
  const inner = isRecord(outer.error) ? outer.error : {};
  const field = (name: string) => [outer[name], inner[name]].find((value) => typeof value === "string");
  const headline =
    field("detail") ?? field("error_description") ?? field("message") ?? field("title") ?? field("error");
  const errors = outer.errors ?? inner.errors;
  const faults = listTexts(errors).filter(({ text }) => !headline?.includes(text));
  const all = headline === undefined && faults.length === 0 ? listTexts(json) : faults;
  const texts = all.slice(0, MAX_FIELD_ERRORS).map(({ place, text }) => (place ? `${place}: ${text}` : text));
  const [only, ...more] = Array.isArray(errors) ? errors : [];
  const code =
    field("code") ?? field("error") ?? (isRecord(only) && more.length === 0 ? only.code : undefined);
  return {
    suggestsWrongBaseUrl: false,
    text: [headline ?? [], ...texts].flat().map(truncate).join("; ") || "no explanation",
    code: typeof code === "string" && /^[\w.:-]{1,100}$/.test(code) ? code : undefined,
    requestId: field("requestId"),
    hint: field("hint"),
  };
}

/** A member that no error shows: a service may send the record itself with an error status. */
const SECRET_NAME = /secret|token|password|api_?key|credential/i;

interface PlacedText {
  readonly place: string;
  readonly text: string;
}

/** The texts of JSON in any form: of each object, the one that explains it, or else all of its values. */
function listTexts(json: unknown, place = "", depth = 0): PlacedText[] {
  if (SECRET_NAME.test(place)) return [];
  if (typeof json === "string" && json.trim() !== "")
    return [{ text: json, place: json.includes(place) ? "" : place }];
  if (typeof json !== "object" || json === null || depth > MAX_DEPTH) return [];
  const list = (value: unknown, name: string) => listTexts(value, name, depth + 1);
  if (Array.isArray(json)) return json.slice(0, MAX_FIELD_ERRORS).flatMap((item) => list(item, place));
  const fields = new Map(Object.entries(json).map(([name, value]) => [name.toLowerCase(), value]));
  const find = (...names: readonly string[]) => names.map((name) => fields.get(name)).find(Boolean);
  const text = find("detail", "message", "msg", "reason", "title");
  const where = find("parameter", "pointer", "field") ?? [fields.get("loc")].flat().at(-1) ?? place;
  if (typeof text === "string") return list(text, typeof where === "string" ? where : "");
  return Object.entries(json).flatMap(([name, value]) => list(value, name));
}

const MAX_PAGE_CHARACTERS = 10_000;
const MAX_TEXT_CHARACTERS = 1000;
const MAX_FIELD_ERRORS = 5;
const MAX_DEPTH = 20;

const truncate = (text: string): string =>
  text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;
