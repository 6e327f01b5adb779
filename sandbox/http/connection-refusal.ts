import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { PROBLEM_TYPE } from "../wire/content-types.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";
import { renderProblem } from "./error-response.ts";

/** For a caller that is still sending to read the response; closing sooner would reset the connection. */
const LINGER_MS = 1_000;

/** Says what is wrong with bytes that Node's parser refused. */
export function parserRefusal({ code }: NodeJS.ErrnoException): ProblemError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return problemError("headers_too_large", "The request line and the headers have more than 16 KiB.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problemError("body_too_large", "The extensions of the body's chunks are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problemError("request_timeout", "The request did not arrive in time.");
    default:
      return problemError("malformed_request", "The bytes that arrived are not an HTTP/1.1 request.");
  }
}

/** Responds on the bare connection and ends it. */
export function refuseConnection(socket: Socket, problem: ProblemError, requestId: string): void {
  const body = JSON.stringify(renderProblem(problem, requestId));
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
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
