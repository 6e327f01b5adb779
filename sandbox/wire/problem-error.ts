import type { OAuthErrorCode } from "../../src/contract/oauth.ts";
import { type FieldError, PROBLEMS, type ProblemCode } from "../../src/contract/problems.ts";

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly code: string;
}

export interface ProblemDetails {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request, as RFC 9457 wants it told. `message` is the detail: what is wrong and what would be right. */
export class ProblemError extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ProblemKind, detail: string, facts: ProblemDetails = {}) {
    super(detail);
    this.status = kind.status;
    this.title = kind.title;
    this.code = kind.code;
    this.errors = facts.errors;
    this.headers = facts.headers ?? {};
  }
}

/** A problem of the contract's table. */
export function problemError(code: ProblemCode, detail: string, facts?: ProblemDetails): ProblemError {
  return new ProblemError({ code, ...PROBLEMS[code] }, detail, facts);
}

/** A problem of the table with one fault to point at, whose words are its own. */
export const problemErrorAt = (code: ProblemCode, error: FieldError): ProblemError =>
  problemError(code, error.detail, { errors: [error] });

/** A 422 that points at each fault of the form. */
export function validationError(errors: readonly FieldError[]): ProblemError {
  return problemError("validation_failed", errors.map(({ detail }) => detail).join(" "), { errors });
}

/** An error of the token route; RFC 6749 §5.2 gives it a shape of its own. */
export class TokenEndpointError extends Error {
  override readonly name = "OAuthRefusal";
  readonly error: OAuthErrorCode;
  readonly status: number;

  constructor(error: OAuthErrorCode, description: string, status = error === "invalid_client" ? 401 : 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}
