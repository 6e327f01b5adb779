import type { Readable } from "node:stream";
import { ClaimsError, interruptedError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";

/** What is known of a request that failed. */
export interface RequestContext {
  /** As in `GET https://host/v1/…`. */
  readonly requestLine: string;
  /** Whether sending it twice does no harm. */
  readonly isSafeToRetry: boolean;
  /** Whether some of it may have left. */
  readonly mayHaveBeenSent: boolean;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds of waiting within which {@link MIN_PROGRESS_BYTES} of an answer must have come. */
  readonly requestTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Bytes. A body that drips would keep its connection, and us, for ever: undici ends only one that is silent. Slower than
 * this is no line at all (273 bytes a second, with the usual minute).
 */
const MIN_PROGRESS_BYTES = 16_384;

const OUTCOME_UNKNOWN_HINT = "look for it on the service before sending it again";

/** The error that stands for a request without an answer. */
export function toRequestError(
  error: unknown,
  { requestLine: where, isSafeToRetry: safe, mayHaveBeenSent: mayBeSent, signal }: RequestContext,
): ClaimsError {
  const isClaimsError = error instanceof ClaimsError;
  // Whatever fell over because somebody stopped it, that is what happened.
  if (isClaimsError && (error.kind === "interrupted" || !signal?.aborted)) return error;
  if (signal?.aborted)
    return safe || !mayBeSent ? interruptedError(error) : interruptedWriteError(where, error);
  const code = findErrorCode(error);
  if (code === "UND_ERR_INVALID_ARG") return invalidRequestError(where, error);
  if (!safe && mayBeSent && !wasNotSent(code)) {
    const message = `${where}: the connection failed (${code}) after the request was sent`;
    return outcomeUnknownError(message, { cause: error });
  }
  const isCertificateFailure = isCertificateError(code);
  return new ClaimsError("unreachable", "unreachable", `${where}: ${describeErrorCode(code)}`, {
    hint: isCertificateFailure
      ? "check the base URL and the clock; `--ca-file` trusts the authority of a company or a test"
      : "check the base URL; `claims sandbox status` tells whether a local sandbox is up",
    retryable: !isCertificateFailure,
    cause: error,
  });
}

/** The error that stands for an answer whose body broke off. */
function toBodyError(
  error: unknown,
  size: number,
  { requestLine: where, isSafeToRetry: safe, signal }: RequestContext,
): ClaimsError {
  if (signal?.aborted) return safe ? interruptedError(error) : interruptedWriteError(where, error);
  const code = findErrorCode(error);
  const message = `${where}: the answer broke off after ${size} bytes (${code})`;
  if (!safe) return outcomeUnknownError(message, { cause: error });
  const isTimeout = /TIMEOUT/.test(code);
  return new ClaimsError(
    "unreachable",
    isTimeout ? "unreachable" : "answer_cut_short",
    isTimeout
      ? `${where}: the answer ${code === BODY_TOO_SLOW ? "is too slow" : "stopped"} after ${size} bytes`
      : message,
    { hint: "run the command again", retryable: true, cause: error },
  );
}

/** Nobody knows whether a write was carried out; `code === "outcome_unknown"` is how a program learns it. */
export const outcomeUnknownError = (
  message: string,
  facts: {
    readonly status?: number | undefined;
    readonly requestId?: string | undefined;
    readonly cause: unknown;
  },
): ClaimsError =>
  new ClaimsError("unreachable", "outcome_unknown", `${message}; whether it was carried out is unknown`, {
    hint: OUTCOME_UNKNOWN_HINT,
    ...facts,
  });

const interruptedWriteError = (where: string, cause: unknown): ClaimsError =>
  new ClaimsError(
    "interrupted",
    "interrupted_unknown",
    `interrupted while ${where} was under way; whether it was carried out is unknown`,
    { hint: OUTCOME_UNKNOWN_HINT, cause },
  );

/** What undici refuses before it sends anything, such as a line break in a header; it names the place, no value. */
const invalidRequestError = (where: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "invalid_request", `${where} cannot be sent: ${(cause as Error).message}`, {
    hint: "look for a line break or a character beyond ASCII in what was given",
    cause,
  });

/** A failed connection in words. */
export function describeErrorCode(code: string): string {
  if (code === "ECONNREFUSED") return "nothing is listening there (connection refused)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name cannot be resolved";
  if (/TIMEOUT/.test(code)) return "no answer in time";
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code))
    return "the connection was closed before a whole answer came";
  if (isCertificateError(code)) return `the certificate was not accepted (${code})`;
  return `the connection failed (${code})`;
}

/** The bytes of a body as they come; one that breaks off, or hardly comes, says so in our words. */
export async function* readMonitored(
  body: Readable,
  circumstances: RequestContext,
): AsyncGenerator<Uint8Array> {
  const { now, requestTimeoutMs: requestTimeout } = circumstances;
  let size = 0;
  let progress = 0;
  let waited = 0;
  let waitsSince = now();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      progress += chunk.length;
      waited += now() - waitsSince;
      if (progress >= MIN_PROGRESS_BYTES) progress = waited = 0;
      else if (waited > requestTimeout) throw bodyTooSlow();
      yield chunk;
      // The time that a reader such as a pager takes is not the service's.
      waitsSince = now();
    }
  } catch (error) {
    throw toBodyError(error, size, circumstances);
  }
}

const BODY_TOO_SLOW = "SLOW_BODY_TIMEOUT";

const bodyTooSlow = () => Object.assign(new Error("the body is too slow"), { code: BODY_TOO_SLOW });
