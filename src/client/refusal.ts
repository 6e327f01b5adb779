import type { Buffer } from "node:buffer";
import { ClaimsError, type ErrorKind } from "../domain/errors.ts";

interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * The error that stands for an answer outside 200–299. Only the status decides what kind it is; what the body says is
 * quoted when it has one of the usual shapes (RFC 9457, RFC 6749 §5.2), since interface §7 shows none.
 *
 * @param secrets what was sent as proof of who we are, blanked out wherever the service repeats it
 */
export function refusal(answer: RefusedAnswer, requestLine: string, secrets: readonly string[]): ClaimsError {
  return refusalAs(kindOf(answer.status), answer, requestLine, secrets);
}

/** A refusal by the token route: whatever 4xx it uses (RFC 6749 §5.2), it is the client's credential that failed. */
export function tokenRefusal(
  answer: RefusedAnswer,
  requestLine: string,
  secrets: readonly string[],
): ClaimsError {
  const kind = kindOf(answer.status);
  return refusalAs(kind === "rejected" ? "credential" : kind, answer, requestLine, secrets);
}

function refusalAs(
  kind: ErrorKind,
  answer: RefusedAnswer,
  requestLine: string,
  secrets: readonly string[],
): ClaimsError {
  const said = readBody(answer);
  const quoted = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), said.text);
  return new ClaimsError(
    kind,
    said.code ?? `http_${answer.status}`,
    `${requestLine} → ${answer.status}: ${quoted}`,
    {
      status: answer.status,
      requestId: answer.headers["x-request-id"] ?? said.requestId,
      retryable: kind === "unreachable",
      hint: hintFor(answer),
    },
  );
}

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return "credential";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "rejected";
}

function hintFor({ status, headers }: RefusedAnswer): string | undefined {
  if (status >= 300 && status < 400) {
    return `the service redirects to ${headers.location ?? "another address"}; give that as --base-url if it is right`;
  }
  if (status === 401) return "check CLAIMS_API_KEY, or the client id and secret, against this base URL";
  if (status === 403)
    return "the credential is valid but belongs to another environment or has no access here";
  return undefined;
}

interface Said {
  readonly text: string;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
}

function readBody({ headers, body }: RefusedAnswer): Said {
  const type = headers["content-type"]?.replace(/;.*$/, "") ?? "no content type";
  const json = type.endsWith("json") ? parsed(body.toString("utf8")) : null;
  if (!json) return { text: body.length === 0 ? "no body" : `an answer of ${body.length} bytes (${type})` };
  const field = (name: string) => (typeof json[name] === "string" ? json[name] : undefined);
  const headline = field("detail") ?? field("error_description") ?? field("message") ?? field("title");
  return {
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

/** The first few of `errors[]`, unless the headline says the same already. */
function fieldErrors(errors: unknown, headline: string | undefined): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 5).flatMap((error: Record<string, unknown> | null) => {
    const place = error?.parameter ?? error?.pointer;
    const text = [place, error?.detail].filter((part) => typeof part === "string").join(": ");
    return text === "" || headline?.includes(text) ? [] : [text];
  });
}
