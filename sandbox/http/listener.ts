import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { toListenError } from "../../src/domain/net.ts";
import type { ProblemError } from "../wire/problem-error.ts";
import {
  expectationUnknown,
  hostMissing,
  parserRefusal,
  refuseConnection,
  targetMalformed,
} from "./connection-refusal.ts";
import { respondWhileStarting } from "./startup-response.ts";

/** A listening server whose behaviour comes later: SQLite is compiled meanwhile. */
export class HttpListener {
  readonly #server: Server;
  readonly #nextRequestId: () => string;
  readonly #sockets = new Set<Socket>();
  readonly #openResponses = new Set<ServerResponse>();
  #handler: RequestListener = respondWhileStarting;

  /** `nextId`: the request id of an answer to what is no request yet. */
  constructor(nextId: () => string) {
    this.#nextRequestId = nextId;
    // Node would answer a missing Host by itself, and without a body.
    this.#server = createServer({ requireHostHeader: false }, (req, res) => this.#receive(req, res));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("checkExpectation", (req) =>
      this.#refuse(req, expectationUnknown(req.headers.expect ?? "")),
    );
    this.#server.on("clientError", (error, socket) => this.#handleClientError(error, socket as Socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      throw toListenError(error, host, port);
    }
  }

  handleWith(listener: RequestListener): void {
    this.#handler = listener;
  }

  /** Ends every connection; resolves when the server is gone and no answer is left half-way. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    const ended = [...this.#openResponses].map((res) => once(res, "close"));
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([closed, ...ended]);
  }

  #receive(req: IncomingMessage, res: ServerResponse): void {
    if (req.headers.host === undefined && req.httpVersion === "1.1") {
      this.#refuse(req, hostMissing());
      return;
    }
    if (!isTarget(req.url ?? "")) {
      this.#refuse(req, targetMalformed());
      return;
    }
    this.#openResponses.add(res);
    res.once("close", () => this.#openResponses.delete(res));
    this.#handler(req, res);
  }

  #refuse(req: IncomingMessage, refused: ProblemError): void {
    refuseConnection(req.socket, refused, this.#nextRequestId());
    req.resume();
  }

  /** An answer that has begun cannot be followed by another one. */
  #handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const begun = [...this.#openResponses].some((res) => res.socket === socket && res.headersSent);
    if (socket.writable && !begun && error.code !== "ECONNRESET") {
      refuseConnection(socket, parserRefusal(error), this.#nextRequestId());
    } else if (!socket.writableEnded) socket.destroy();
  }
}

/** A path, `*` or a whole URL (RFC 9112 §3.2); Koa would throw at anything else. */
const isTarget = (target: string): boolean =>
  target.startsWith("/") || target === "*" || URL.canParse(target);
