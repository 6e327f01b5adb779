import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { toListenError } from "../../../../domain/net.ts";
import { type IncomingDelivery, readDelivery } from "./read-delivery.ts";

/** What a sender is told. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
}

interface DeliveryServerOptions {
  readonly host: string;
  readonly port: number;
  /** Works on a delivery, and answers it when that is due; what it throws ends the server's owner. */
  receive(incoming: IncomingDelivery, answer: (reply: Reply) => void): Promise<void>;
  onError(error: unknown): void;
  /** Tells of what is no delivery. */
  log(line: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Milliseconds: who sends slower than this holds a connection, and nothing else. */
const SERVER_LIMITS = { headersTimeout: 5_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };

const USAGE_TEXT = "This is claims webhooks listen. It takes webhook deliveries: POST them to any path.\n";

/** A server for deliveries. */
export class DeliveryServer {
  readonly #behaviour: DeliveryServerOptions;
  readonly #server: Server;
  readonly #underWay = new Set<Promise<void>>();

  constructor(behaviour: DeliveryServerOptions) {
    this.#behaviour = behaviour;
    this.#server = createServer(SERVER_LIMITS, (request, response) => void this.#take(request, response));
    this.#server.on("clientError", (error, socket) => this.#refuse(error, socket as Socket));
  }

  /** Resolves to where it listens. @throws ClaimsError `port_in_use`, `host_unavailable` */
  async listen(): Promise<string> {
    const { host, port } = this.#behaviour;
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      throw toListenError(error, host, port);
    }
    const { address, family, port: actual } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
  }

  /** Takes nothing more; resolves when what has been taken is answered. */
  async close(): Promise<void> {
    this.#server.close();
    await Promise.all(this.#underWay);
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { onError: fail, now, log: say } = this.#behaviour;
    const { method = "", url = "" } = request;
    if (method !== "POST") {
      say(`${method} ${url} was answered 405: a delivery is a POST`);
      reply(response, { status: 405, text: USAGE_TEXT });
      return;
    }
    const incoming = await readDelivery(request, now()).catch(() => {
      say(`POST ${url} broke off before its end`);
      return null;
    });
    if (incoming === null) return;
    const work = this.#behaviour.receive(incoming, (answer) => reply(response, answer)).catch(fail);
    this.#underWay.add(work);
    await work;
    this.#underWay.delete(work);
  }

  /** What the parser refuses: the sender gets a status, and whoever looks for its delivery a reason. */
  #refuse({ code = "" }: NodeJS.ErrnoException, socket: Socket): void {
    if (code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const [status, why] = PARSER_ERRORS[code] ?? ["400 Bad Request", `it breaks the rules of HTTP (${code})`];
    this.#behaviour.log(`a request was answered ${status.slice(0, 3)}: ${why}`);
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
}

const PARSER_ERRORS: Readonly<Record<string, readonly [status: string, why: string]>> = {
  HPE_INVALID_EOF_STATE: ["400 Bad Request", "it broke off before its end"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "it was too slow"],
  // What begins a TLS handshake is no method.
  HPE_INVALID_METHOD: ["400 Bad Request", "it is no HTTP; https, perhaps"],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "its headers are larger than 16 KiB"],
};

function reply(response: ServerResponse, { status, text, retryAfter }: Reply): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    ...(status === 405 && { allow: "POST" }),
  });
  response.end(text);
}
