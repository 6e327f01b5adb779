import type { OAuthErrorCode } from "../../src/contract/operations/oauth.ts";
import { type FieldError, PROBLEMS, type ProblemCode } from "../../src/contract/problems.ts";

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly code: string;
}

interface ProblemDetails {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response has the shape of RFC 6749 §5.2 instead of RFC 9457. */
  readonly isOAuth?: boolean;
  /** What to do next. */
  readonly hint?: string;
}

/** A refused request. `message` is the detail: what is wrong, and what would be right. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly isOAuth: boolean;
  readonly hint: string | undefined;

  constructor({ status, title, code }: ProblemKind, detail: string, details: ProblemDetails = {}) {
    super(detail);
    this.status = status;
    this.title = title;
    this.code = code;
    this.errors = details.errors;
    this.headers = details.headers ?? {};
    this.isOAuth = details.isOAuth ?? false;
    this.hint = details.hint;
  }
}

export const problemError = (code: ProblemCode, detail: string, details?: ProblemDetails): ProblemError =>
  new ProblemError({ code, ...PROBLEMS[code] }, detail, details);

export const problemErrorAt = (code: ProblemCode, error: FieldError): ProblemError =>
  problemError(code, error.detail, { errors: [error] });

export const validationError = (errors: readonly FieldError[]): ProblemError =>
  problemError("validation_failed", errors.map(({ detail }) => detail).join(" "), { errors });

export const tokenError = (
  code: OAuthErrorCode,
  detail: string,
  status = code === "invalid_client" ? 401 : 400,
): ProblemError => new ProblemError({ status, code, title: "" }, detail, { isOAuth: true });
