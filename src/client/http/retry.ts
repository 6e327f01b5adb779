/** How long a request that may be repeated goes on trying. */
export interface RetryPolicy {
  /** In all, the first included. */
  readonly maxAttempts: number;
  /** Milliseconds; a service that asks for a longer pause is not waited for, and its answer is told instead. */
  readonly maxPauseMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 4, maxPauseMs: 30_000 };

const FIRST_DELAY_MS = 250;

/** Failures after which the request provably never reached the service. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Answers that may be other ones soon. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Whether an answer leaves open what became of a write: the service, or somebody before it, failed on the way; or it was
 * carried out, and how it went is told elsewhere (303, RFC 9110 §15.4.4).
 */
export const isOutcomeUnknown = (status: number): boolean => status >= 500 || status === 303;

/** What an answer says about repeating its request. */
interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Whether an answer says "later". A read obeys, a write only where the service refused before acting (429), or where the
 * first request with the same idempotency key is still running: a 409 that says when to come back.
 *
 * @param isSafe whether sending it twice does no harm
 * @param hasKey whether the request carries an idempotency key
 */
export function isRetryableResponse(
  { status, headers }: ResponseHead,
  isSafe: boolean,
  hasKey: boolean,
): boolean {
  if (status === 409) return hasKey && headers["retry-after"] !== undefined;
  return status === 429 || (isSafe && TRANSIENT_STATUSES.has(status));
}

/** Whether an answer is about all that we send and not about one request alone. */
export const isOverloaded = ({ status, headers }: ResponseHead): boolean =>
  status === 429 || (status === 503 && headers["retry-after"] !== undefined);

/** Failures that would come again: what cannot be sent, and a whole timeout without an answer. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** Whether a failed attempt may be made again without any doubt about what happened, and with some hope. */
export const isRetryableCode = (errorCode: string, isSafe: boolean): boolean =>
  !isCertificateError(errorCode) && !PERMANENT_CODES.has(errorCode) && (isSafe || wasNotSent(errorCode));

/** Whether the request provably did not reach the service: nothing is sent before the connection stands. */
export const wasNotSent = (errorCode: string): boolean =>
  NOT_SENT_CODES.has(errorCode) || isCertificateError(errorCode);

/** Node's names for a certificate that was not accepted. */
export const isCertificateError = (errorCode: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/.test(errorCode);

/**
 * Milliseconds until the next attempt: a doubling delay, half of it by chance.
 *
 * @param attempt the number of attempts made, from 1
 */
export function backoff(attempt: number, { maxPauseMs }: RetryPolicy, random: () => number): number {
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), maxPauseMs);
  return ceiling / 2 + (random() * ceiling) / 2;
}
