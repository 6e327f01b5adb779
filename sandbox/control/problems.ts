import type { ErrorKind } from "../../src/domain/error-codes.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import { ProblemError } from "../wire/problem-error.ts";

const CONTROL_PROBLEMS = {
  control_token_missing: { status: 401, title: "No control token" },
  control_token_invalid: { status: 401, title: "The control token is invalid" },
  origin_not_allowed: { status: 403, title: "A web page may not control the sandbox" },
  control_route_not_found: { status: 404, title: "No such control route" },
  method_not_allowed: { status: 405, title: "Wrong method" },
  validation_failed: { status: 422, title: "The request is not valid" },
} as const;

export function controlProblem(
  code: keyof typeof CONTROL_PROBLEMS,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  return new ProblemError({ code, ...CONTROL_PROBLEMS[code] }, detail, { headers });
}

/** The engine's errors over HTTP; any other kind is a failure of the sandbox. */
const PROBLEM_OF_ERROR_KIND: {
  readonly [Kind in ErrorKind]?: { readonly status: number; readonly title: string };
} = {
  usage: CONTROL_PROBLEMS.validation_failed,
  not_found: { status: 404, title: "Not found" },
  rejected: { status: 409, title: "Conflict with the current state" },
  pending: { status: 408, title: "Timed out" },
};

export function toProblemError({ kind, code, message, hint }: ClaimsError): ProblemError | null {
  const problem = PROBLEM_OF_ERROR_KIND[kind];
  if (!problem) return null;
  return new ProblemError({ code: kind === "usage" ? "validation_failed" : code, ...problem }, message, {
    hint,
  });
}

/** Responds to an error of the engine with its problem. */
export async function withProblems<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (error instanceof ClaimsError && toProblemError(error)) || error;
  }
}
