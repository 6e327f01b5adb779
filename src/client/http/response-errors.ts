import { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { parseRetryAfter } from "../../domain/retry-after.ts";
import { type Credential, MIN_SECRET_LENGTH, secretOf } from "../auth/credential.ts";
import { readResponse, type StreamingResponse } from "./response.ts";
import { isOutcomeUnknown } from "./retry.ts";

interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if it is truncated. */
  readonly body: Buffer | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Reads a response outside 2xx. A truncated explanation does not hide that the service refused the request. */
export async function readErrorResponse(
  response: StreamingResponse,
  receivedAt: number,
): Promise<ErrorResponse> {
  try {
    return { ...(await readResponse(response)), receivedAt };
  } catch (error) {
    const isTruncated = error instanceof ClaimsError && error.kind !== "interrupted";
    if (!isTruncated || isOutcomeUnknown(response.status)) throw error;
    return { ...response, body: null, receivedAt };
  }
}

interface SentCredential {
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
  kind: ErrorKind = errorKindOf(status),
): ClaimsError {
  const response = {
    status,
    headers: redactHeaders(headers, sent),
    body: body && Buffer.from(redact(body.toString("utf8"), sent)),
    receivedAt,
  };
  const { code, isFromService, requestId, ...details } = parseErrorBody(response);
  const retryAfterMs = parseRetryAfter(headers, receivedAt);
  const location = status === 303 && response.headers.location ? ` ${response.headers.location}` : "";
  const text = details.text.replace(/\.$/, "");
  // A problem with a hint is for the user of a `claims sandbox` command, who did not write the request.
  const message = details.hint ? text : `${text} (${requestLine} → ${status}${location})`;
  return new ClaimsError(kind, code ?? `http_${status}`, message, {
    status,
    request: requestLine,
    requestId: response.headers["x-request-id"] ?? requestId,
    // A service that asks for another try later did not execute the request.
    retryable: kind === "unreachable" || (status === 409 && retryAfterMs !== null),
    retryAfterMs: retryAfterMs ?? undefined,
    hint: isFromService
      ? (details.hint ?? CODE_HINTS[code ?? ""] ?? chooseHint(response, sent.credential))
      : "this does not look like the claims service: check the base URL",
  });
}

/** The same for the token route: any 4xx means that it rejects the credential (RFC 6749 §5.2). */
export function tokenResponseError(
  response: ErrorResponse,
  requestLine: string,
  sent: SentCredential,
): ClaimsError {
  const kind = errorKindOf(response.status);
  return responseError(response, requestLine, sent, kind === "rejected" ? "credential" : kind);
}

export const redactHeaders = (
  headers: ErrorResponse["headers"],
  sent: SentCredential,
): ErrorResponse["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value, sent)]));

function redact(text: string, { credential, authorization }: SentCredential): string {
  const secrets = [
    authorization?.replace(/^Bearer /, "") ?? "",
    credential === null ? "" : secretOf(credential),
  ];
  return secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function errorKindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "rejected";
}

const CODE_HINTS: Readonly<Record<string, string>> = { route_not_found: "check the path and the base URL" };

const STATUS_HINTS: Readonly<Record<number, string>> = {
  403: "the credential is valid, but is for another environment or has no access here",
  404: "check the id, the environment and the base URL; a sandbox forgets everything when it stops",
  409: "the state of the resource does not allow this; look at it first",
  413: "send less at once",
};

function chooseHint({ status, headers }: ErrorResponse, credential: Credential | null): string {
  if (status >= 300 && status < 400) {
    const place = headers.location ?? "another address";
    return `the service redirects to ${place}; if that is right, use it without the path of the request as the base URL`;
  }
  if (status === 401 || credential?.kind === "oauth_client") return chooseCredentialHint(credential);
  const pause = headers["retry-after"];
  if (pause !== undefined) return `the service asks you to wait (Retry-After: ${pause}); then try again`;
  if (status === 429 || status >= 500) return "try again later";
  return STATUS_HINTS[status] ?? "correct the request and try again";
}

function chooseCredentialHint(credential: Credential | null): string {
  if (credential === null) return "set CLAIMS_API_KEY";
  const name = credential.kind === "api_key" ? "the API key" : "client id and secret";
  return `check that ${name} and the base URL belong together`;
}

interface ErrorDescription {
  readonly text: string;
  /** False for the page of some web server. */
  readonly isFromService: boolean;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** A member of the sandbox's own problems. */
  readonly hint?: string | undefined;
}

function parseErrorBody({ status, headers, body }: ErrorResponse): ErrorDescription {
  const type = headers["content-type"]?.replace(/;.*$/, "") ?? "no content type";
  if (body === null) return { isFromService: true, text: "the response was truncated" };
  if (body.length === 0) return { isFromService: true, text: "an empty response" };
  const text = body.toString("utf8");
  const json = type.endsWith("json") ? parseJsonObject(text) : null;
  if (json) return parseJsonError(json);
  const isPlain = type === "text/plain";
  const plain = isPlain ? toSingleLine(text) : type === "text/html" ? htmlToText(text) : null;
  // Any web server has a page for 404 and 405; one for 422 comes from a service that read the request.
  const isAboutRequest = status >= 400 && status < 500 && status !== 404 && status !== 405;
  return {
    isFromService: plain !== null && (isPlain || isAboutRequest),
    text: plain ?? `a response of ${body.length} bytes, ${type}`,
  };
}

/** Reads RFC 9457, RFC 6749 §5.2, or either of them in an `error` object. */
function parseJsonError(json: Record<string, unknown>): ErrorDescription {
  const inner = isRecord(json.error) ? json.error : {};
  const text = (value: unknown) => (typeof value === "string" ? truncate(value) : undefined);
  const field = (name: string) => text(json[name]) ?? text(inner[name]);
  const headline = field("detail") ?? field("error_description") ?? field("message") ?? field("title");
  const faults = describeFieldErrors(json.errors ?? inner.errors, headline);
  const first = headline ?? field("error") ?? (faults.length > 0 ? undefined : "no explanation");
  return {
    isFromService: true,
    text: [...(first === undefined ? [] : [first]), ...faults].join("; "),
    code: field("code") ?? field("error") ?? readOnlyCode(json.errors),
    requestId: field("requestId"),
    hint: field("hint"),
  };
}

function toSingleLine(text: string): string | null {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? null : truncate(line);
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The visible text of a page, or else its title. */
function htmlToText(html: string): string | null {
  const page = html.slice(0, MAX_PAGE_CHARACTERS);
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(page) ?? [];
  const visible = page
    .replace(/<(head|script|style|title)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ");
  return toSingleLine(unescapeHtml(visible)) ?? toSingleLine(unescapeHtml(title));
}

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => HTML_ENTITIES[name] ?? "");

const MAX_PAGE_CHARACTERS = 10_000;
const MAX_TEXT_CHARACTERS = 1000;
const MAX_FIELD_ERRORS = 5;

const truncate = (text: string): string =>
  text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;

function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** The first items of `errors[]` that the headline does not contain. */
function describeFieldErrors(errors: unknown, headline: string | undefined): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_FIELD_ERRORS).flatMap((error: Record<string, unknown> | null) => {
    const detail = error?.detail ?? error?.message;
    if (typeof detail !== "string" || headline?.includes(detail)) return [];
    const place = error?.parameter ?? error?.pointer;
    return [truncate(typeof place === "string" && !detail.includes(place) ? `${place}: ${detail}` : detail)];
  });
}

function readOnlyCode(errors: unknown): string | undefined {
  const [only, ...more] = Array.isArray(errors) ? errors : [];
  return more.length === 0 && isRecord(only) && typeof only.code === "string"
    ? truncate(only.code)
    : undefined;
}
