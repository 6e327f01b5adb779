import type { Readable } from "node:stream";
import {
  ClaimsError,
  type ErrorDetails,
  interruptedError,
  unreachableError,
  usageError,
} from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";

export interface RequestContext {
  /** As in `GET https://host/v1/…`. */
  readonly requestLine: string;
  readonly isSafeToRetry: boolean;
  /** Whether the service may have received a part of the request. */
  readonly mayHaveBeenSent: boolean;
  readonly signal: AbortSignal | undefined;
  /** Waiting time within which {@link MIN_PROGRESS_BYTES} of a body must arrive. */
  readonly requestTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** undici ends a silent body, but not one that sends a byte now and then. This is 273 bytes/s with the default timeout. */
const MIN_PROGRESS_BYTES = 16_384;

/** The error for a request without a response. */
export function toRequestError(error: unknown, context: RequestContext): ClaimsError {
  const { requestLine, isSafeToRetry, mayHaveBeenSent, signal } = context;
  if (error instanceof ClaimsError && (error.kind === "interrupted" || !signal?.aborted)) return error;
  const isHarmless = isSafeToRetry || !mayHaveBeenSent;
  if (signal?.aborted)
    return isHarmless ? interruptedError(error) : interruptedWriteError(requestLine, error);
  const code = findErrorCode(error);
  // undici refuses a line break in a header, for example, and names the place without the value.
  if (code === "UND_ERR_INVALID_ARG")
    return usageError("invalid_request", `cannot send ${requestLine}: ${(error as Error).message}`, {
      hint: "look for a line break or a character beyond ASCII in the values",
      cause: error,
    });
  if (!isHarmless && !wasNotSent(code)) {
    const message = `${requestLine}: the connection failed (${code}) after the request was sent`;
    return outcomeUnknownError(message, { cause: error });
  }
  const isCertificate = isCertificateError(code);
  return unreachableError("unreachable", `${requestLine}: ${describeErrorCode(code)}`, {
    hint: isCertificate ? "check the base URL and the clock" : "check the base URL",
    retryable: !isCertificate,
    cause: error,
  });
}

/** The error for a response without a complete body. */
function toBodyError(error: unknown, size: number, context: RequestContext): ClaimsError {
  const { requestLine, isSafeToRetry, signal } = context;
  if (signal?.aborted)
    return isSafeToRetry ? interruptedError(error) : interruptedWriteError(requestLine, error);
  const code = findErrorCode(error);
  const isTimeout = /TIMEOUT/.test(code);
  const problem = code === BODY_TOO_SLOW ? "is too slow," : isTimeout ? "stopped" : "was truncated";
  const message = `${requestLine}: the response ${problem} after ${size} bytes (${code})`;
  if (!isSafeToRetry) return outcomeUnknownError(message, { cause: error });
  return unreachableError(isTimeout ? "unreachable" : "response_truncated", message, {
    hint: "try again",
    retryable: true,
    cause: error,
  });
}

const OUTCOME_UNKNOWN_HINT = "look for it on the service before you send it again";

/** Programs recognize a write with an unknown outcome by the code `outcome_unknown`. */
export const outcomeUnknownError = (message: string, details: Omit<ErrorDetails, "hint">): ClaimsError =>
  unreachableError("outcome_unknown", `${message}; the outcome is unknown`, {
    ...details,
    hint: OUTCOME_UNKNOWN_HINT,
  });

const interruptedWriteError = (requestLine: string, cause: unknown): ClaimsError =>
  new ClaimsError(
    "interrupted",
    "interrupted_unknown",
    `interrupted during ${requestLine}; the outcome is unknown`,
    {
      hint: OUTCOME_UNKNOWN_HINT,
      cause,
    },
  );

const ERROR_TEXTS: readonly (readonly [codes: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, "nothing is listening there (connection refused)"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved"],
  [/TIMEOUT/, "no response in time"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was closed before the response was complete"],
];

export function describeErrorCode(code: string): string {
  const known = ERROR_TEXTS.find(([codes]) => codes.test(code));
  if (known) return known[1];
  return isCertificateError(code)
    ? `the certificate was rejected (${code})`
    : `the connection failed (${code})`;
}

/** Passes a body on, and throws a {@link ClaimsError} if it is truncated or too slow. */
export async function* readMonitored(body: Readable, context: RequestContext): AsyncGenerator<Uint8Array> {
  const { now, requestTimeoutMs } = context;
  let size = 0;
  let progress = 0;
  let waitedMs = 0;
  let waitingSince = now();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      progress += chunk.length;
      waitedMs += now() - waitingSince;
      if (progress >= MIN_PROGRESS_BYTES) progress = waitedMs = 0;
      else if (waitedMs > requestTimeoutMs)
        throw Object.assign(new Error("the body is too slow"), { code: BODY_TOO_SLOW });
      yield chunk;
      // The reader's own time does not count.
      waitingSince = now();
    }
  } catch (error) {
    throw toBodyError(error, size, context);
  }
}

const BODY_TOO_SLOW = "SLOW_BODY_TIMEOUT";
