import type { ErrorCode, ErrorKind } from "./error-codes.ts";

export interface ErrorDetails {
  /** The option, argument or variable whose value is wrong, as in `--limit`. */
  readonly option?: string | undefined;
  /** What to do next, one sentence. */
  readonly hint: string;
  readonly status?: number | undefined;
  /** Method and path of the request, if the error is about its response. */
  readonly request?: string | undefined;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
  /** The diligence job that the error is about. */
  readonly jobId?: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean | undefined;
  /** The pause before a retry that the service asks for. */
  readonly retryAfterMs?: number | undefined;
  /** The errors of an input file, in the order of its lines. */
  readonly errors?: readonly InputError[] | undefined;
  readonly cause?: unknown;
}

export interface InputError {
  /** A physical line (header = 1); null if the error is not in a line. */
  readonly line: number | null;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

/** An error for people: `message` says what happened and where, `hint` what to do next. */
export class ClaimsError extends Error {
  override readonly name = "ClaimsError";
  readonly kind: ErrorKind;
  /** Stable and machine-readable, e.g. `report_not_ready`. */
  readonly code: string;
  readonly hint: string;
  readonly option: string | undefined;
  readonly status: number | undefined;
  readonly request: string | undefined;
  readonly requestId: string | undefined;
  readonly jobId: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly errors: readonly InputError[] | undefined;

  constructor(kind: ErrorKind, code: string, message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.code = code;
    this.hint = details.hint;
    this.option = details.option;
    this.status = details.status;
    this.request = details.request;
    this.requestId = details.requestId;
    this.jobId = details.jobId;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.errors = details.errors;
  }
}

export const interruptedError = (cause: unknown): ClaimsError =>
  new ClaimsError("interrupted", "interrupted", "interrupted", {
    hint: "run the command again to continue",
    retryable: true,
    cause,
  });

export const rephraseError = (
  error: ClaimsError,
  {
    kind = error.kind,
    message = error.message,
    ...details
  }: Partial<ErrorDetails> & { readonly kind?: ErrorKind; readonly message?: string },
): ClaimsError => {
  const { code, hint, option, status, request, requestId, jobId, retryable, retryAfterMs } = error;
  const kept = { hint, option, status, request, requestId, jobId, retryable, retryAfterMs, cause: error };
  return new ClaimsError(kind, code, message, { ...kept, ...details });
};

/** Each takes the codes of its kind in `error-codes.ts`, by type only. */
const createFactory =
  <K extends ErrorKind>(kind: K) =>
  (code: ErrorCode<K>, message: string, details: ErrorDetails): ClaimsError =>
    new ClaimsError(kind, code, message, details);

export const usageError = createFactory("usage");
export const notFoundError = createFactory("not_found");
export const credentialError = createFactory("credential");
export const rejectedError = createFactory("rejected");
export const unreachableError = createFactory("unreachable");
export const verificationError = createFactory("verification");
export const needsDecisionError = createFactory("needs_decision");
