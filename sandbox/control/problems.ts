import type { ClaimsError, ErrorKind } from "../../src/domain/errors.ts";
import { ProblemError } from "../wire/problem-error.ts";

/** The control API's own problems; they are no part of the contract. */
const CONTROL_PROBLEMS = {
  control_token_missing: { status: 401, title: "No control token" },
  control_token_invalid: { status: 401, title: "The control token is not valid" },
  host_not_allowed: { status: 403, title: "This host name is not the sandbox's" },
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

/** What an error of the engine is over HTTP; one that is none of these is a failure of the sandbox. */
const PROBLEM_OF_ERROR_KIND: {
  readonly [Kind in ErrorKind]?: { readonly status: number; readonly title: string };
} = {
  usage: CONTROL_PROBLEMS.validation_failed,
  not_found: { status: 404, title: "There is no such thing" },
  rejected: { status: 409, title: "Its state does not allow that" },
  pending: { status: 408, title: "It was not so in time" },
};

/** The engine's own error as a problem: what is wrong, and what would be right. */
export function toProblemError(error: ClaimsError): ProblemError | null {
  const kind = PROBLEM_OF_ERROR_KIND[error.kind];
  if (!kind) return null;
  const code = error.kind === "usage" ? "validation_failed" : error.code;
  return new ProblemError({ code, ...kind }, `${error.message}; ${error.hint}`);
}
