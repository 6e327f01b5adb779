import { GREASE_HEADER } from "../../src/contract/grease.ts";
import type { ResponseEncoder } from "../engine/service/response-encoder.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../wire/content-types.ts";
import { ProblemError, problemError } from "../wire/problem-error.ts";
import type { RouteContext } from "./request-state.ts";

interface ErrorOptions {
  readonly requestId: string;
  readonly encoder: ResponseEncoder | null;
  readonly onError: (error: unknown) => void;
}

/** Writes any error as a response. The caller learns nothing about an unexpected one: `onError` gets it. */
export function writeError(
  ctx: RouteContext,
  error: unknown,
  { requestId, encoder, onError }: ErrorOptions,
): void {
  if (!(error instanceof ProblemError)) onError(error);
  const problem =
    error instanceof ProblemError
      ? error
      : problemError("internal_error", "The sandbox failed; its own log says why.");
  ctx.state.trace.problem = {
    code: problem.code,
    detail: problem.message,
    errors: (problem.errors ?? []).map(({ parameter, pointer, code }) => ({
      location: parameter ?? pointer ?? null,
      code,
    })),
  };
  const document = renderProblem(problem, requestId);
  const varied = encoder?.encodeError(problem, document);
  ctx.status = varied?.status ?? problem.status;
  ctx.set({ ...problem.headers });
  if (problem.isOAuth && problem.status === 401) ctx.set("WWW-Authenticate", 'Basic realm="claims"');
  if (varied && varied.varied.length > 0) ctx.set(GREASE_HEADER, varied.varied.join(", "));
  ctx.set("Content-Type", varied?.type ?? (problem.isOAuth ? JSON_TYPE : PROBLEM_TYPE));
  ctx.body = varied?.body ?? JSON.stringify(document);
}

/** RFC 9457, whose type is about:blank because the code says which problem it is; or RFC 6749 §5.2. */
export function renderProblem(problem: ProblemError, requestId: string): object {
  const { status, title, code, message: detail, errors, hint, isOAuth } = problem;
  if (isOAuth) return { error: code, error_description: toOAuthText(detail) };
  const optional = { ...(hint && { hint }), ...(errors && { errors }) };
  return { type: "about:blank", title, status, detail, code, requestId, ...optional };
}

/** RFC 6749 §5.2 allows %x20-21 / %x23-5B / %x5D-7E; the caller's own words may have other characters. */
const toOAuthText = (text: string): string =>
  text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/gu, "?");
