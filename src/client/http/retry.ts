import { classifyErrorCode } from "../../domain/net.ts";

export interface RetryPolicy {
  /** The first attempt counts. */
  readonly maxAttempts: number;
  /** If a service asks for a longer pause, its response is final. */
  readonly maxPauseMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 4, maxPauseMs: 30_000 };

const FIRST_DELAY_MS = 250;

/** Errors before the connection exists: the service got nothing. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Errors that a retry would repeat: an invalid request, or a complete timeout without a response. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether to retry: a write only if it was refused before it was executed (429). */
export const isRetryableResponse = ({ status }: ResponseHead, isSafe: boolean): boolean =>
  status === 429 || (isSafe && status >= 502 && status <= 504);

/** Whether a response is about all requests of this client, not about one. */
export const isOverloaded = ({ status, headers }: ResponseHead): boolean =>
  status === 429 || (status === 503 && headers["retry-after"] !== undefined);

export const isRetryableCode = (errorCode: string, isSafe: boolean): boolean =>
  !isCertificateError(errorCode) && !PERMANENT_CODES.has(errorCode) && (isSafe || wasNotSent(errorCode));

/** Whether the service cannot have received the request. */
export const wasNotSent = (errorCode: string): boolean =>
  NOT_SENT_CODES.has(errorCode) || isCertificateError(errorCode);

export const isCertificateError = (errorCode: string): boolean =>
  classifyErrorCode(errorCode) === "tls_error";

/** Milliseconds until the next attempt: doubling, half of it random. @param attempt the number so far, from 1 */
export function backoff(attempt: number, { maxPauseMs }: RetryPolicy, random: () => number): number {
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), maxPauseMs);
  return ceiling / 2 + (random() * ceiling) / 2;
}
