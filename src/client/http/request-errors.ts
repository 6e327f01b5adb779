import {
  ClaimsError,
  type ErrorDetails,
  interruptedError,
  needsDecisionError,
  unreachableError,
  usageError,
} from "../../domain/errors.ts";
import { classifyErrorCode, findErrorCode } from "../../domain/net.ts";
import type { Runtime } from "../runtime.ts";
import { decodeBody } from "./decode-body.ts";
import type { HttpResponse } from "./http-message.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";

export interface RequestContext {
  /** As in `GET https://host/v1/…`. */
  readonly requestLine: string;
  readonly isSafeToRetry: boolean;
  readonly mayHaveBeenSent: boolean;
  readonly signal: AbortSignal | undefined;
  readonly runtime: Runtime;
}

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
  const isContinue = isUnsolicitedContinue(error);
  if (!isHarmless && !wasNotSent(code)) {
    const problem = isContinue
      ? UNSOLICITED_CONTINUE
      : `the connection failed (${code}) after the request was sent`;
    return outcomeUnknownError(`${requestLine}: ${problem}`, { cause: error });
  }
  if (isContinue)
    return unreachableError("unreachable", `${requestLine}: ${UNSOLICITED_CONTINUE}`, {
      hint: "ask the operator of the proxy, or of the service, to turn that off",
      retryable: true,
      cause: error,
    });
  const isCertificate = isCertificateError(code);
  return unreachableError("unreachable", `${requestLine}: ${describeErrorCode(code)}`, {
    hint: isCertificate ? "check the base URL and the clock" : "check the base URL",
    retryable: !isCertificate,
    cause: error,
  });
}

/** undici ends the connection at "100 Continue", and its error has no code of its own. Other 1xx do no harm (RFC 9110 §15.2). */
const isUnsolicitedContinue = (error: unknown): boolean =>
  findErrorCode(error) === "UND_ERR_SOCKET" && (error as Error).message === "bad response";

const UNSOLICITED_CONTINUE =
  'a proxy in between, or the service, sent "100 Continue" without being asked, which ends the connection; its operator can turn that off';

function toBodyError(
  error: unknown,
  size: number,
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  context: RequestContext,
): ClaimsError {
  const { requestLine, isSafeToRetry, signal } = context;
  if (signal?.aborted)
    return isSafeToRetry ? interruptedError(error) : interruptedWriteError(requestLine, error);
  const code = findErrorCode(error);
  const isTimeout = /TIMEOUT/.test(code);
  // The codes of zlib and Brotli.
  const isDamaged = /^(Z_|ERR__ERROR_)/.test(code);
  const problem = isDamaged
    ? `cannot be decompressed (Content-Encoding: ${headers["content-encoding"]})`
    : code === BODY_TOO_SLOW
      ? "is too slow,"
      : isTimeout
        ? "stopped"
        : "was truncated";
  const message = `${requestLine}: the response ${problem} after ${size} bytes (${code})`;
  if (!isSafeToRetry)
    return isDamaged
      ? unreadableResponseError(message, { status, cause: error })
      : outcomeUnknownError(message, { status, cause: error });
  return unreachableError(isTimeout ? "unreachable" : "response_truncated", message, {
    hint: "try again",
    retryable: true,
    cause: error,
  });
}

const OUTCOME_UNKNOWN_HINT = "ask the service whether it has it before you send it again";

/** Programs recognize a write with an unknown outcome by the code `outcome_unknown`. */
export const outcomeUnknownError = (message: string, details: Omit<ErrorDetails, "hint">): ClaimsError =>
  unreachableError("outcome_unknown", `${message}; the outcome is unknown`, {
    ...details,
    hint: OUTCOME_UNKNOWN_HINT,
  });

/** A whole response to a write arrived, but nothing can be read from it. */
export const unreadableResponseError = (message: string, details: Omit<ErrorDetails, "hint">): ClaimsError =>
  needsDecisionError("response_unrecognized", `${message}; the outcome is unknown`, {
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

export function describeErrorCode(code: string): string {
  switch (classifyErrorCode(code)) {
    case "dns_error":
      return "the host name cannot be resolved";
    case "connection_refused":
      return "nothing is listening there (connection refused)";
    case "connection_reset":
      return "the connection was closed before the response was complete";
    case "timeout":
      return "no response in time";
    case "tls_error":
      return `the certificate was rejected (${code})`;
    case "network_error":
      return `the connection failed (${code})`;
  }
}

/** Throws a {@link ClaimsError} if a body is truncated, damaged or too slow. @param limitMs of the whole body */
export async function* readMonitored(
  response: HttpResponse,
  context: RequestContext,
  limitMs: number | undefined,
): AsyncGenerator<Uint8Array> {
  const { body, headers } = response;
  const { now } = context.runtime;
  const startedAt = now();
  let size = 0;
  async function* receive(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (limitMs !== undefined && now() - startedAt > limitMs)
        throw Object.assign(new Error("too slow"), { code: BODY_TOO_SLOW });
      yield chunk;
    }
  }
  try {
    yield* decodeBody(receive(), headers);
  } catch (error) {
    throw toBodyError(error, size, response, context);
  }
}

const BODY_TOO_SLOW = "SLOW_BODY_TIMEOUT";
