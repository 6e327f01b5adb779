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

/** A listening server that gets its handler later: SQLite compiles meanwhile. @param nextRequestId for bytes that are none */
export function createListener(nextRequestId: () => string, findProblem: RequestGuard) {
  /** The responses of each connection that have not ended; pipelined requests have several. */
  const openResponses = new Map<Socket, Set<ServerResponse>>();
  let handler: RequestListener = respondWhileStarting;
  let secondServer: Server | null = null;

  const refuse = (req: IncomingMessage, problem: ProblemError): void => {
    refuseConnection(req.socket, problem, nextRequestId());
    req.resume();
  };

  // Node would refuse a missing Host itself, and without a body.
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    const problem = findProblem(req);
    if (problem) return refuse(req, problem);
    const responses = openResponses.get(req.socket);
    responses?.add(res);
    res.once("close", () => responses?.delete(res));
    handler(req, res);
  });
  server.on("connection", (socket) => {
    const responses = new Set<ServerResponse>();
    openResponses.set(socket, responses);
    socket.once("close", () => {
      openResponses.delete(socket);
      // Node closes the response that is being sent, but none that waits for its turn: its handler would wait forever.
      for (const res of responses) if (res.socket === null) res.emit("close");
    });
  });
  server.on("checkExpectation", (req) => {
    const detail = `Expect: ${req.headers.expect} is not supported; only 100-continue is.`;
    refuse(req, findProblem(req) ?? problemError("expectation_failed", detail));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    // A second response cannot follow one that has begun.
    const responses = [...(openResponses.get(socket) ?? [])];
    const hasBegun = responses.some((res) => res.socket === socket && res.headersSent);
    if (socket.writable && !hasBegun && error.code !== "ECONNRESET") {
      refuseConnection(socket, parserRefusal(error), nextRequestId());
    } else if (!socket.writableEnded) socket.destroy();
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
    async listen(port: number, hosts: Hosts, second: string | null = null): Promise<string> {
      const host = await listenOnFirst(server, port, hosts);
      if (second === null || second === host) return host;
      const takenPort = this.port;
      try {
        secondServer = await listenOnSecond(server, takenPort, second);
        return host;
      } catch (error) {
        await Promise.all([once(server, "close"), server.close()]);
        // The system chose a port that is free on the first address alone.
        if (port === 0 && findErrorCode(error) === "EADDRINUSE") return this.listen(port, hosts, second);
        throw toListenError(error, second, takenPort);
      }
    },

    /** Keeps idle connections open longer than Node does. */
    keepIdle(milliseconds: number): void {
      server.keepAliveTimeout = milliseconds;
    },

    handleWith(listener: RequestListener): void {
      handler = listener;
    },

    /** Ends every connection; resolves when the server is closed and no response is incomplete. */
    async close(): Promise<void> {
      if (!server.listening) return;
      const servers = secondServer === null ? [server] : [server, secondServer];
      const closed = servers.map((each) => once(each, "close"));
      const responses = [...openResponses.values()].flatMap((each) => [...each]);
      const ended = responses.map((res) => once(res, "close"));
      for (const each of servers) each.close();
      for (const socket of openResponses.keys()) socket.destroy();
      await Promise.all([...closed, ...ended]);
    },
  };
}

type Hosts = readonly [string, ...string[]];

async function listenOnFirst(server: Server, port: number, [host, ...others]: Hosts): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, "listening");
    return host;
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || findErrorCode(error) !== "EADDRNOTAVAIL")
      throw toListenError(error, host, port);
    return listenOnFirst(server, port, [next, ...rest]);
  }
}

/** Passes the connections of another address to the server. Null if this machine does not have the address. */
async function listenOnSecond(server: Server, port: number, host: string): Promise<Server | null> {
  // With the options of a server of node:http.
  const second = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit("connection", socket),
  );
  second.listen(port, host);
  try {
    await once(second, "listening");
    return second;
  } catch (error) {
    if (["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(findErrorCode(error))) return null;
    throw error;
  }
}

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
