import { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../domain/errors.ts";
import { type Credential, SHORTEST_SECRET, secretOf } from "./credential.ts";

interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
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
      ? (CODE_HINTS[said.code ?? ""] ?? hintFor(answer, credential))
      : "this does not look like the claims service: check the base URL",
  });
}

const withoutSecrets = ({ status, headers, body }: RefusedAnswer, proof: Proof): RefusedAnswer => ({
  status,
  headers: cleanHeaders(headers, proof),
  body: Buffer.from(clean(body.toString("utf8"), proof)),
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
  409: "the job's state does not allow that; `claims diligence status` shows it",
  413: "send less at once; a local sandbox takes --max-upload",
};

/** Where the service's own code says more than the status. */
const CODE_HINTS: Readonly<Record<string, string>> = {
  route_not_found: "check the path and the base URL; `claims api GET /v1/docs/openapi` has the routes",
};

function hintFor({ status, headers }: RefusedAnswer, credential: Credential | null): string {
  if (status >= 300 && status < 400) {
    const place = headers.location ?? "another address";
    return `the service redirects to ${place}; if that is right, what stands before the path of the request is its --base-url`;
  }
  if (status === 401 || credential?.kind === "oauth_client") return checkCredential(credential);
  const pause = headers["retry-after"];
  if (pause !== undefined)
    return `the service asks to wait (Retry-After: ${pause}); then run the command again`;
  if (status === 429 || status >= 500) return "run the command again later";
  return HINTS[status] ?? "correct the request and run the command again";
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

function readBody({ headers, body }: RefusedAnswer): Said {
  const type = headers["content-type"]?.replace(/;.*$/, "") ?? "no content type";
  const json = type.endsWith("json") ? parsed(body.toString("utf8")) : null;
  if (!json) {
    const isService = body.length === 0;
    return {
      isService,
      text: isService ? "an answer without a body" : `an answer of ${body.length} bytes, ${type}`,
    };
  }
  const field = (name: string) => (typeof json[name] === "string" ? shortened(json[name]) : undefined);
  const headline = field("detail") ?? field("error_description") ?? field("message") ?? field("title");
  return {
    isService: true,
    text: [headline ?? field("error") ?? "no explanation", ...fieldErrors(json.errors, headline)].join("; "),
    code: field("code") ?? field("error"),
    requestId: field("requestId"),
  };
}

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
    const { detail } = error ?? {};
    if (typeof detail !== "string" || headline?.includes(detail)) return [];
    const place = error?.parameter ?? error?.pointer;
    return [shortened(typeof place === "string" && !detail.includes(place) ? `${place}: ${detail}` : detail)];
  });
}
