import type { Context } from "koa";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import type { OAuthError } from "../../src/contract/oauth.ts";
import type { ResponseGrease } from "../engine/grease/response-grease.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../wire/content-types.ts";
import { ProblemError, problemError, TokenEndpointError } from "../wire/problem-error.ts";

interface ErrorOptions {
  readonly requestId: string;
  readonly grease: ResponseGrease | null;
  readonly onError: (error: unknown) => void;
}

/** Writes whatever was thrown. An error that nobody foresaw is told to `onError`, never to the caller. */
export function writeError(ctx: Context, error: unknown, options: ErrorOptions): void {
  if (error instanceof TokenEndpointError) writeOAuthError(ctx, error);
  else if (error instanceof ProblemError) writeProblem(ctx, error, options);
  else {
    options.onError(error);
    writeProblem(ctx, problemError("internal_error", "The sandbox failed; its own log says why."), options);
  }
}

/** RFC 9457; the code says which problem it is, so the type stays about:blank. */
export function toProblem({ status, title, code, message, errors }: ProblemError, requestId: string): object {
  return { type: "about:blank", title, status, detail: message, code, requestId, ...(errors && { errors }) };
}

function writeProblem(ctx: Context, refused: ProblemError, { requestId, grease }: ErrorOptions): void {
  const document = toProblem(refused, requestId);
  ctx.status = refused.status;
  ctx.set(refused.headers);
  const plain = { type: PROBLEM_TYPE, body: JSON.stringify(document), variations: [] };
  const { type, body, variations } = grease?.varyError(refused, document) ?? plain;
  if (variations.length > 0) ctx.set(GREASE_HEADER, variations.join(", "));
  ctx.set("Content-Type", type);
  ctx.body = body;
}

/** RFC 6749 §5.2. */
function writeOAuthError(ctx: Context, { error, status, message }: TokenEndpointError): void {
  ctx.status = status;
  if (status === 401) ctx.set("WWW-Authenticate", 'Basic realm="claims"');
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify({ error, error_description: toOAuthText(message) } satisfies OAuthError);
}

/** RFC 6749 §5.2 allows %x20-21 / %x23-5B / %x5D-7E; a caller's own words may have other characters. */
const toOAuthText = (text: string): string =>
  text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/gu, "?");
