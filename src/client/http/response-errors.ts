import { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { type Credential, MIN_SECRET_LENGTH, secretOf } from "../auth/credential.ts";
import { readResponse, type StreamingResponse } from "./response.ts";
import { isOutcomeUnknown } from "./retry.ts";

interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it did not come whole. */
  readonly body: Buffer | null;
}

/** Reads an answer outside 200–299. One that refuses does so however little of its explanation arrives. */
export async function readErrorResponse(answer: StreamingResponse): Promise<ErrorResponse> {
  try {
    return await readResponse(answer);
  } catch (error) {
    const isTruncated = error instanceof ClaimsError && error.kind !== "interrupted";
    if (!isTruncated || isOutcomeUnknown(answer.status)) throw error;
    return { ...answer, body: null };
  }
}

/** What a request proved itself with. */
interface SentCredential {
  readonly credential: Credential | null;
  /** The `Authorization` that was sent; an access token is in none of the settings. */
  readonly authorization: string | null;
}

/**
 * The error that stands for an answer outside 200–299. Only the status decides what kind it is; what the body says is
 * quoted when it has one of the usual shapes (RFC 9457, RFC 6749 §5.2), since interface §7 shows none. A secret that
 * the service repeats, wherever in its answer, is blanked out first.
 */
export function responseError(
  answer: ErrorResponse,
  requestLine: string,
  proof: SentCredential,
): ClaimsError {
  return buildResponseError(
    errorKindOf(answer.status),
    redactResponse(answer, proof),
    requestLine,
    proof.credential,
  );
}

/** A refusal by the token route: whatever 4xx it uses (RFC 6749 §5.2), it is the client's credential that failed. */
export function tokenResponseError(
  answer: ErrorResponse,
  requestLine: string,
  proof: SentCredential,
): ClaimsError {
  const kind = errorKindOf(answer.status);
  const redacted = redactResponse(answer, proof);
  return buildResponseError(
    kind === "rejected" ? "credential" : kind,
    redacted,
    requestLine,
    proof.credential,
  );
}

function buildResponseError(
  kind: ErrorKind,
  answer: ErrorResponse,
  requestLine: string,
  credential: Credential | null,
): ClaimsError {
  const details = parseErrorBody(answer);
  const location = answer.status === 303 && answer.headers.location ? ` ${answer.headers.location}` : "";
  const text = details.text.replace(/\.$/, "");
  // A problem with a hint is for a person, who did not write the request: a command of `claims sandbox` did.
  const message = details.hint ? text : `${text} (${requestLine} → ${answer.status}${location})`;
  return new ClaimsError(kind, details.code ?? `http_${answer.status}`, message, {
    status: answer.status,
    requestId: answer.headers["x-request-id"] ?? details.requestId,
    retryable: kind === "unreachable",
    hint: details.isFromService
      ? (details.hint ?? CODE_HINTS[details.code ?? ""] ?? chooseHint(answer, requestLine, credential))
      : "this does not look like the claims service: check the base URL",
  });
}

const redactResponse = ({ status, headers, body }: ErrorResponse, proof: SentCredential): ErrorResponse => ({
  status,
  headers: redactHeaders(headers, proof),
  body: body && Buffer.from(redact(body.toString("utf8"), proof)),
});

/** Headers as anybody may see them, whatever the service has repeated in them. */
export const redactHeaders = (
  headers: ErrorResponse["headers"],
  proof: SentCredential,
): ErrorResponse["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value, proof)]));

function redact(text: string, { credential, authorization }: SentCredential): string {
  const token = authorization?.replace(/^Bearer /, "");
  const secrets = [token ?? "", credential === null ? "" : secretOf(credential)];
  return secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function errorKindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "rejected";
}

const STATUS_HINTS: Readonly<Record<number, string>> = {
  403: "the credential is valid, but belongs to another environment or has no access here",
  404: "check the id, the environment and the base URL; a sandbox forgets everything when it stops",
  409: "the state of what it is about does not allow that; look at it first",
  413: "send less at once",
};

/** The same where the path tells what it is about. */
const DILIGENCE_HINTS: typeof STATUS_HINTS = {
  409: "the job's state does not allow that; `claims diligence status` shows it",
  413: "send less at once; a local sandbox takes --max-upload",
};

/** Where the service's own code says more than the status. */
const CODE_HINTS: Readonly<Record<string, string>> = {
  route_not_found: "check the path and the base URL; `claims api GET /v1/docs/openapi` has the routes",
};

function chooseHint(
  { status, headers }: ErrorResponse,
  requestLine: string,
  credential: Credential | null,
): string {
  if (status >= 300 && status < 400) {
    const place = headers.location ?? "another address";
    return `the service redirects to ${place}; if that is right, what stands before the path of the request is its --base-url`;
  }
  if (status === 401 || credential?.kind === "oauth_client") return describeCredentialHint(credential);
  const pause = headers["retry-after"];
  if (pause !== undefined)
    return `the service asks to wait (Retry-After: ${pause}); then run the command again`;
  if (status === 429 || status >= 500) return "run the command again later";
  const hints = requestLine.includes("/diligence/") ? { ...STATUS_HINTS, ...DILIGENCE_HINTS } : STATUS_HINTS;
  return hints[status] ?? "correct the request and run the command again";
}

function describeCredentialHint(credential: Credential | null): string {
  if (credential === null) return "set CLAIMS_API_KEY";
  return credential.kind === "api_key"
    ? "check the API key against this base URL; `claims auth status` tells where it comes from"
    : "check client id and secret against this base URL; `claims auth status` tells where they come from";
}

interface ErrorDescription {
  readonly text: string;
  /** Whether it is an answer a service would give, and not some web server's page. */
  readonly isFromService: boolean;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
}

function parseErrorBody({ status, headers, body }: ErrorResponse): ErrorDescription {
  const type = headers["content-type"]?.replace(/;.*$/, "") ?? "no content type";
  if (body === null) return { isFromService: true, text: "an answer that broke off" };
  if (body.length === 0) return { isFromService: true, text: "an answer without a body" };
  const text = body.toString("utf8");
  const json = type.endsWith("json") ? parseJsonObject(text) : null;
  if (json) return parseJsonError(json);
  const plain = type === "text/plain" ? toSingleLine(text) : type === "text/html" ? htmlToText(text) : null;
  return {
    isFromService: plain !== null && (type === "text/plain" || isClientErrorOfRoute(status)),
    text: plain ?? `an answer of ${body.length} bytes, ${type}`,
  };
}

/** RFC 9457, RFC 6749 §5.2, or `error`, an object of its own, in their place. */
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
    hint: field("hint"),
    requestId: field("requestId"),
  };
}

/** Where a page answers with 404, it is any web server's; with 422, it has read the request. */
const isClientErrorOfRoute = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 404 && status !== 405;

/** One line of what a person may read. */
function toSingleLine(text: string): string | null {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? null : truncate(line);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What a person would read of a page; its title where that is all. */
function htmlToText(html: string): string | null {
  const page = html.slice(0, MAX_PAGE_CHARACTERS);
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(page) ?? [];
  const body = page.replace(/<(head|script|style|title)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ");
  return toSingleLine(unescapeHtml(body)) ?? toSingleLine(unescapeHtml(title));
}

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");

/** Characters of a page that are looked at. */
const MAX_PAGE_CHARACTERS = 10_000;

/** Characters; what a person reads of one text. */
const MAX_TEXT_CHARACTERS = 1000;

const truncate = (text: string): string =>
  text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;

function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The first few of `errors[]`, but for what the headline says already. */
function describeFieldErrors(errors: unknown, headline: string | undefined): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 5).flatMap((error: Record<string, unknown> | null) => {
    const detail = error?.detail ?? error?.message;
    if (typeof detail !== "string" || headline?.includes(detail)) return [];
    const place = error?.parameter ?? error?.pointer;
    return [truncate(typeof place === "string" && !detail.includes(place) ? `${place}: ${detail}` : detail)];
  });
}

/** Of the only fault there is; one of several does not stand for all. */
function readOnlyCode(errors: unknown): string | undefined {
  const [only, ...more] = Array.isArray(errors) ? errors : [];
  return more.length === 0 && isRecord(only) && typeof only.code === "string"
    ? truncate(only.code)
    : undefined;
}
