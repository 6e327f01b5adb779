/**
 * What went wrong, in the few ways that differ for whoever asked. What each kind means to a shell is decided
 * in one place, `src/cli/exit-codes.ts`.
 */
export type ErrorKind =
  | "usage"
  | "not_found"
  | "credential"
  | "rejected"
  | "unreachable"
  | "verification"
  | "pending"
  | "unfinished_job"
  | "interrupted";

/** What an error can say beside its message. */
export interface ErrorDetails {
  /** What to do next, one sentence. */
  readonly hint: string;
  /** The HTTP status, where an answer was the cause. */
  readonly status?: number | undefined;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/** Somebody wanted it to stop. */
export const interruptedError = (cause: unknown): ClaimsError =>
  new ClaimsError("interrupted", "interrupted", "interrupted", {
    hint: "run the command again to go on",
    cause,
  });

/** The same failure in other words, with what they do not say as it was. */
export const rephraseError = (
  error: ClaimsError,
  { message = error.message, ...facts }: Partial<ErrorDetails> & { readonly message?: string },
): ClaimsError => {
  const { kind, code, hint, status, requestId, retryable } = error;
  return new ClaimsError(kind, code, message, { hint, status, requestId, retryable, cause: error, ...facts });
};

/** An error for people: `message` says what happened and where, `hint` what to do next. */
export class ClaimsError extends Error {
  override readonly name = "ClaimsError";
  readonly kind: ErrorKind;
  /** Stable and machine-readable, e.g. `report_not_ready`. */
  readonly code: string;
  readonly hint: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryable: boolean;

  constructor(kind: ErrorKind, code: string, message: string, facts: ErrorDetails) {
    super(message, { cause: facts.cause });
    this.kind = kind;
    this.code = code;
    this.hint = facts.hint;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryable = facts.retryable ?? false;
  }
}

const createFactory =
  (kind: ErrorKind) =>
  (code: string, message: string, details: ErrorDetails): ClaimsError =>
    new ClaimsError(kind, code, message, details);

export const usageError = createFactory("usage");
export const notFoundError = createFactory("not_found");
export const credentialError = createFactory("credential");
export const rejectedError = createFactory("rejected");
export const unreachableError = createFactory("unreachable");
export const verificationError = createFactory("verification");
