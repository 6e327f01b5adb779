import type { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../domain/errors.ts";
import type { Credential } from "./credential.ts";

interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A shorter secret would blank out ordinary words; no credential worth its name is that short. */
const SHORTEST_SECRET = 8;

/**
 * The error that stands for an answer outside 200–299. Only the status decides what kind it is; what the body says is
 * quoted when it has one of the usual shapes (RFC 9457, RFC 6749 §5.2), since interface §7 shows none.
 *
 * @param credential what was sent as proof of who we are, blanked out wherever the service repeats it
 */
export function refusal(
  answer: RefusedAnswer,
  requestLine: string,
  credential: Credential | null,
): ClaimsError {
  return refusalAs(kindOf(answer.status), answer, requestLine, credential);
}

/** A refusal by the token route: whatever 4xx it uses (RFC 6749 §5.2), it is the client's credential that failed. */
export function tokenRefusal(
  answer: RefusedAnswer,
  requestLine: string,
  credential: Credential,
): ClaimsError {
  const kind = kindOf(answer.status);
  return refusalAs(kind === "rejected" ? "credential" : kind, answer, requestLine, credential);
}

function refusalAs(
  kind: ErrorKind,
  answer: RefusedAnswer,
  requestLine: string,
  credential: Credential | null,
): ClaimsError {
  const said = readBody(answer);
  const explanation = withoutSecret(said.text, credential).replace(/\.$/, "");
  const message = `${explanation} (${requestLine} → ${answer.status})`;
  return new ClaimsError(kind, said.code ?? `http_${answer.status}`, message, {
    status: answer.status,
    requestId: answer.headers["x-request-id"] ?? said.requestId,
    retryable: kind === "unreachable",
    hint: said.isService
      ? hintFor(answer, credential)
      : "this does not look like the claims service: check the base URL",
  });
}

function withoutSecret(text: string, credential: Credential | null): string {
  if (credential === null) return text;
  const secret = credential.kind === "api_key" ? credential.key : credential.clientSecret;
  return secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, "[redacted]");
}

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "rejected";
}

const HINTS: Readonly<Record<number, string>> = {
  403: "the credential is valid, but belongs to another environment or has no access here",
  404: "check the id, the environment and the base URL; a sandbox forgets everything when it stops",
  409: "the job's state does not allow that; claims diligence status shows it",
  413: "send less at once; a local sandbox takes --max-upload",
  429: "wait, then run the command again",
};

function hintFor({ status, headers }: RefusedAnswer, credential: Credential | null): string {
  if (status >= 300 && status < 400) {
    return `the service redirects to ${headers.location ?? "another address"}; give that as --base-url if it is right`;
  }
  if (status === 401 || credential?.kind === "oauth_client") return checkCredential(credential);
  if (status >= 500) return "the service failed; run the command again later";
  return HINTS[status] ?? "correct the request and run the command again";
}

function checkCredential(credential: Credential | null): string {
  if (credential === null) return "set CLAIMS_API_KEY";
  return credential.kind === "api_key"
    ? "check the API key (CLAIMS_API_KEY) against this base URL"
    : "check CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET against this base URL";
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
  const field = (name: string) => (typeof json[name] === "string" ? json[name] : undefined);
  const headline = field("detail") ?? field("error_description") ?? field("message") ?? field("title");
  return {
    isService: true,
    text: [headline ?? field("error") ?? "no explanation", ...fieldErrors(json.errors, headline)].join("; "),
    code: field("code") ?? field("error"),
    requestId: field("requestId"),
  };
}

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
    return [typeof place === "string" && !detail.includes(place) ? `${place}: ${detail}` : detail];
  });
}
