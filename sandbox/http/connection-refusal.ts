import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { PROBLEM_TYPE } from "../wire/content-types.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";
import { toProblem } from "./error-response.ts";

/** Milliseconds for a caller that is still sending to read the answer; closing sooner would reset the connection. */
const LINGER_MS = 1_000;

/** What is wrong with bytes that Node's parser gave up on. */
export function parserRefusal({ code }: NodeJS.ErrnoException): ProblemError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return problemError("headers_too_large", "The request line and the headers have more than 16 KiB.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problemError("body_too_large", "The extensions of the body's chunks are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problemError("request_timeout", "The request did not arrive in time.");
    default:
      return problemError("malformed_request", "The bytes that arrived are no HTTP/1.1 request.");
  }
}

export const hostMissing = (): ProblemError =>
  problemError("malformed_request", "The request has no Host header (RFC 9112 §3.2).");

export const targetMalformed = (): ProblemError =>
  problemError("malformed_request", "The request target is not a path and not a URL (RFC 9112 §3.2).");

export const expectationUnknown = (expected: string): ProblemError =>
  problemError("expectation_failed", `Expect: ${expected} is not known here; only 100-continue is.`);

/** Answers on the bare connection and ends it. */
export function refuseConnection(socket: Socket, refused: ProblemError, requestId: string): void {
  const body = JSON.stringify(toProblem(refused, requestId));
  socket.end(
    [
      `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer)).resume();
}
