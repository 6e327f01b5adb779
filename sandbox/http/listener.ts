import { Buffer } from "node:buffer";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { findErrorCode, toListenError } from "../../src/domain/net.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../wire/content-types.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";
import { renderProblem } from "./error-response.ts";
import type { RequestGuard } from "./request-guard.ts";

export type HttpListener = ReturnType<typeof createListener>;

/**
 * An HTTP server that listens before the sandbox is ready, because SQLite compiles meanwhile: its requests get 503 until
 * `handleWith()` gives it a handler.
 *
 * @param nextRequestId for a refusal, which has no request that could name its id
 * @param findProblem decides about each request before the handler gets it
 * @param keepAliveTimeout milliseconds, for which idle connections stay open; by default as long as Node keeps them
 */
export function createListener(
  nextRequestId: () => string,
  findProblem: RequestGuard,
  keepAliveTimeout: number | undefined,
) {
  let handler: RequestListener = respondWhileStarting;
  let secondServer: Server | null = null;

  const refuse = (req: IncomingMessage, problem: ProblemError): void => {
    refuseConnection(req.socket, problem, nextRequestId());
    req.resume();
  };

  // Node would refuse a missing Host itself, and without a body.
  const server = createServer({ requireHostHeader: false, keepAliveTimeout }, (req, res) => {
    const problem = findProblem(req);
    if (problem) return refuse(req, problem);
    responses.add(req.socket, res);
    handler(req, res);
  });
  const responses = trackResponses(server);
  server.on("checkExpectation", (req) => {
    const detail = `Expect: ${req.headers.expect} is not supported; only 100-continue is.`;
    refuse(req, findProblem(req) ?? problemError("expectation_failed", detail));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const canRespond = socket.writable && error.code !== "ECONNRESET" && !responses.hasBegun(socket);
    if (canRespond) refuseConnection(socket, parserRefusal(error), nextRequestId());
    // A refusal before this error may still be on its way.
    else if (!socket.writableEnded) socket.destroy();
  });

  return {
    get port(): number {
      return (server.address() as AddressInfo).port;
    },

    /**
     * Listens on the first of the hosts that this machine has, and returns it.
     *
     * @param second another address, to listen on at the same port where this machine has it
     */
    async listen(port: number, hosts: readonly string[], second: string | null = null): Promise<string> {
      for (;;) {
        const host = await listenOnFirst(server, port, hosts);
        if (second === null || second === host) return host;
        const takenPort = this.port;
        const other = createSecondServer(server);
        const error = await tryToListen(other, takenPort, second);
        if (error === null) {
          secondServer = other;
          return host;
        }
        const code = findErrorCode(error);
        // This machine does not have the second address.
        if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return host;
        await Promise.all([once(server, "close"), server.close()]);
        // The system chose a port that is free on the first address alone: let it choose another.
        const canChooseAgain = port === 0 && code === "EADDRINUSE";
        if (!canChooseAgain) throw toListenError(error, second, takenPort);
      }
    },

    handleWith(listener: RequestListener): void {
      handler = listener;
    },

    /** Ends every connection; resolves when the server is closed and no response is incomplete. */
    async close(): Promise<void> {
      if (!server.listening) return;
      const servers = secondServer === null ? [server] : [server, secondServer];
      const closed = servers.map((each) => once(each, "close"));
      for (const each of servers) each.close();
      await Promise.all([...closed, responses.end()]);
    },
  };
}

/** Knows the responses of each connection that have not ended; with pipelined requests, there are several. */
function trackResponses(server: Server) {
  const open = new Map<Socket, Set<ServerResponse>>();
  server.on("connection", (socket: Socket) => {
    const responses = new Set<ServerResponse>();
    open.set(socket, responses);
    socket.once("close", () => {
      open.delete(socket);
      // Node closes the response that is being sent, but none that waits for its turn: its handler would wait forever.
      for (const res of responses) if (res.socket === null) res.emit("close");
    });
  });
  return {
    add(socket: Socket, res: ServerResponse): void {
      const responses = open.get(socket);
      responses?.add(res);
      res.once("close", () => responses?.delete(res));
    },

    /** Whether a response has begun on a connection: a second one cannot follow it. */
    hasBegun: (socket: Socket): boolean =>
      [...(open.get(socket) ?? [])].some((res) => res.socket === socket && res.headersSent),

    /** Ends every connection, and so every response. */
    async end(): Promise<void> {
      const ended = [...open.values()].flatMap((responses) =>
        [...responses].map((res) => once(res, "close")),
      );
      for (const socket of open.keys()) socket.destroy();
      await Promise.all(ended);
    },
  };
}

async function listenOnFirst(server: Server, port: number, hosts: readonly string[]): Promise<string> {
  let failure: unknown;
  for (const host of hosts) {
    const error = await tryToListen(server, port, host);
    if (error === null) return host;
    failure = toListenError(error, host, port);
    if (findErrorCode(error) !== "EADDRNOTAVAIL") break;
  }
  throw failure;
}

/** Resolves to null when the server listens, or to the error for which it cannot. */
async function tryToListen(server: Server, port: number, host: string): Promise<unknown> {
  server.listen(port, host);
  try {
    await once(server, "listening");
    return null;
  } catch (error) {
    return error;
  }
}

/** Passes the connections of another address to the server, with the options of a server of node:http. */
const createSecondServer = (server: Server): Server =>
  createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket));

/** Between listening and being seeded, only `health` succeeds. */
const respondWhileStarting: RequestListener = (req, res) => {
  const isHealthCheck = req.url === "/_sandbox/health";
  const body = JSON.stringify({ status: isHealthCheck ? "ok" : "starting" });
  res.writeHead(isHealthCheck ? 200 : 503, {
    "Content-Type": JSON_TYPE,
    "Content-Length": body.length,
    ...(!isHealthCheck && { "Retry-After": "1" }),
  });
  res.end(body);
};

/** For a caller that is still sending to read the response; closing sooner would reset the connection. */
const LINGER_MS = 1_000;

function parserRefusal({ code }: NodeJS.ErrnoException): ProblemError {
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

function refuseConnection(socket: Socket, problem: ProblemError, requestId: string): void {
  const body = JSON.stringify(renderProblem(problem, requestId));
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer)).resume();
}
