import { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { collect, type StreamedAnswer } from "./answer.ts";
import { type Credential, SHORTEST_SECRET, secretOf } from "./credential.ts";
import { isDoubtful } from "./retry.ts";

interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it did not come whole. */
  readonly body: Buffer | null;
}

/** Reads an answer outside 200–299. One that refuses does so however little of its explanation arrives. */
export async function collectRefused(answer: StreamedAnswer): Promise<RefusedAnswer> {
  try {
    return await collect(answer);
  } catch (error) {
    const isLost = error instanceof ClaimsError && error.kind !== "interrupted";
    if (!isLost || isDoubtful(answer.status)) throw error;
    return { ...answer, body: null };
  }
}

/** What a request proved itself with. */
interface Proof {
  readonly credential: Credential | null;
  /** The `Authorization` that was sent; an access token is in none of the settings. */
  readonly authorization: string | null;
}

/**
 * The error that stands for an answer outside 200–299. Only the status decides what kind it is; what the body says is
 * quoted when it has one of the usual shapes (RFC 9457, RFC 6749 §5.2), since interface §7 shows none. A secret that
 * the service repeats, wherever in its answer, is blanked out first.
 */
export function refusal(answer: RefusedAnswer, requestLine: string, proof: Proof): ClaimsError {
  return refusalAs(kindOf(answer.status), withoutSecrets(answer, proof), requestLine, proof.credential);
}

/** A refusal by the token route: whatever 4xx it uses (RFC 6749 §5.2), it is the client's credential that failed. */
export function tokenRefusal(answer: RefusedAnswer, requestLine: string, proof: Proof): ClaimsError {
  const kind = kindOf(answer.status);
  const told = withoutSecrets(answer, proof);
  return refusalAs(kind === "rejected" ? "credential" : kind, told, requestLine, proof.credential);
}

function refusalAs(
  kind: ErrorKind,
  answer: RefusedAnswer,
  requestLine: string,
  credential: Credential | null,
): ClaimsError {
  const said = readBody(answer);
  const place = answer.status === 303 && answer.headers.location ? ` ${answer.headers.location}` : "";
  const message = `${said.text.replace(/\.$/, "")} (${requestLine} → ${answer.status}${place})`;
  return new ClaimsError(kind, said.code ?? `http_${answer.status}`, message, {
    status: answer.status,
    requestId: answer.headers["x-request-id"] ?? said.requestId,
    retryable: kind === "unreachable",
    hint: said.isService
      ? (CODE_HINTS[said.code ?? ""] ?? hintFor(answer, requestLine, credential))
      : "this does not look like the claims service: check the base URL",
  });
}

const withoutSecrets = ({ status, headers, body }: RefusedAnswer, proof: Proof): RefusedAnswer => ({
  status,
  headers: cleanHeaders(headers, proof),
  body: body && Buffer.from(clean(body.toString("utf8"), proof)),
});

/** Headers as anybody may see them, whatever the service has repeated in them. */
export const cleanHeaders = (headers: RefusedAnswer["headers"], proof: Proof): RefusedAnswer["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value, proof)]));

function clean(text: string, { credential, authorization }: Proof): string {
  const sent = authorization?.replace(/^Bearer /, "");
  const secrets = [sent ?? "", credential === null ? "" : secretOf(credential)];
  return secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "rejected";
}

const HINTS: Readonly<Record<number, string>> = {
  403: "the credential is valid, but belongs to another environment or has no access here",
  404: "check the id, the environment and the base URL; a sandbox forgets everything when it stops",
  409: "the state of what it is about does not allow that; look at it first",
  413: "send less at once",
};

/** The same where the path tells what it is about. */
const DILIGENCE_HINTS: typeof HINTS = {
  409: "the job's state does not allow that; `claims diligence status` shows it",
  413: "send less at once; a local sandbox takes --max-upload",
};

/** Where the service's own code says more than the status. */
const CODE_HINTS: Readonly<Record<string, string>> = {
  route_not_found: "check the path and the base URL; `claims api GET /v1/docs/openapi` has the routes",
};

function hintFor(
  { status, headers }: RefusedAnswer,
  requestLine: string,
  credential: Credential | null,
): string {
  if (status >= 300 && status < 400) {
    const place = headers.location ?? "another address";
    return `the service redirects to ${place}; if that is right, what stands before the path of the request is its --base-url`;
  }
  if (status === 401 || credential?.kind === "oauth_client") return checkCredential(credential);
  const pause = headers["retry-after"];
  if (pause !== undefined)
    return `the service asks to wait (Retry-After: ${pause}); then run the command again`;
  if (status === 429 || status >= 500) return "run the command again later";
  const told = requestLine.includes("/diligence/") ? { ...HINTS, ...DILIGENCE_HINTS } : HINTS;
  return told[status] ?? "correct the request and run the command again";
}

function checkCredential(credential: Credential | null): string {
  if (credential === null) return "set CLAIMS_API_KEY";
  return credential.kind === "api_key"
    ? "check the API key against this base URL; `claims auth status` tells where it comes from"
    : "check client id and secret against this base URL; `claims auth status` tells where they come from";
}

interface Said {
  readonly text: string;
  /** Whether it is an answer a service would give, and not some web server's page. */
  readonly isService: boolean;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
}

function readBody({ status, headers, body }: RefusedAnswer): Said {
  const type = headers["content-type"]?.replace(/;.*$/, "") ?? "no content type";
  if (body === null) return { isService: true, text: "an answer that broke off" };
  if (body.length === 0) return { isService: true, text: "an answer without a body" };
  const text = body.toString("utf8");
  const json = type.endsWith("json") ? parsed(text) : null;
  if (json) return saidInJson(json);
  const told = type === "text/plain" ? plainText(text) : type === "text/html" ? textOf(text) : null;
  return {
    isService: told !== null && (type === "text/plain" || refusesWhatItKnows(status)),
    text: told ?? `an answer of ${body.length} bytes, ${type}`,
  };
}

/** RFC 9457, RFC 6749 §5.2, or `error`, an object of its own, in their place. */
function saidInJson(json: Record<string, unknown>): Said {
  const inner = isRecord(json.error) ? json.error : {};
  const text = (value: unknown) => (typeof value === "string" ? shortened(value) : undefined);
  const field = (name: string) => text(json[name]) ?? text(inner[name]);
  const headline = field("detail") ?? field("error_description") ?? field("message") ?? field("title");
  const faults = fieldErrors(json.errors ?? inner.errors, headline);
  const first = headline ?? field("error") ?? (faults.length > 0 ? undefined : "no explanation");
  return {
    isService: true,
    text: [...(first === undefined ? [] : [first]), ...faults].join("; "),
    code: field("code") ?? field("error") ?? firstCode(json.errors),
    requestId: field("requestId"),
  };
}

/** Where a page answers with 404, it is any web server's; with 422, it has read the request. */
const refusesWhatItKnows = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 404 && status !== 405;

/** One line of what a person may read. */
function plainText(text: string): string | null {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? null : shortened(line);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What a person would read of a page; its title where that is all. */
function textOf(html: string): string | null {
  const page = html.slice(0, LONGEST_PAGE);
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(page) ?? [];
  const shown = page.replace(/<(head|script|style|title)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ");
  return plainText(unescaped(shown)) ?? plainText(unescaped(title));
}

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");

/** Characters of a page that are looked at. */
const LONGEST_PAGE = 10_000;

/** Characters; what a person reads of one text. */
const LONGEST_TEXT = 1000;

const shortened = (text: string): string =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The first few of `errors[]`, but for what the headline says already. */
function fieldErrors(errors: unknown, headline: string | undefined): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 5).flatMap((error: Record<string, unknown> | null) => {
    const detail = error?.detail ?? error?.message;
    if (typeof detail !== "string" || headline?.includes(detail)) return [];
    const place = error?.parameter ?? error?.pointer;
    return [shortened(typeof place === "string" && !detail.includes(place) ? `${place}: ${detail}` : detail)];
  });
}

/** Of the only fault there is; one of several does not stand for all. */
function firstCode(errors: unknown): string | undefined {
  const [only, ...more] = Array.isArray(errors) ? errors : [];
  return more.length === 0 && isRecord(only) && typeof only.code === "string"
    ? shortened(only.code)
    : undefined;
}
