import { isIP, type Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { checkAddress, createGuardedLookup } from "./addresses.ts";
import { AttemptHandler, type SendResult } from "./attempt-handler.ts";

export type { SendResult } from "./attempt-handler.ts";

export interface WebhookSenderOptions {
  /** Whether deliveries may leave for public addresses. */
  readonly allowPublic: boolean;
  /** For a whole attempt: name, connection, answer and its body. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970; durations are taken from it, and dates that a receiver names are held against it. */
  readonly wallClock: () => number;
}

/** One attempt to send. */
export interface SendRequest {
  readonly url: string;
  /** Sent with these names, in this order; the connection's own (Host, Connection, Content-Length) stand around them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A connection that has been idle for longer than this may be closing on the other side already. */
const KEEP_ALIVE_MS = 1_000;

/** Sends deliveries. It has the only connections that the sandbox makes, and holds none back while it is idle. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #agent: Agent;
  /**
   * Sockets that are not connected yet: undici ends only those that are. A signal for all of them would keep every one,
   * because a socket never takes back its listener (Node 20 and 24).
   */
  readonly #connecting = new Set<Socket>();
  #isClosed = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connect: this.#createGuardedConnector(),
      // The time of an attempt is kept here, from its very beginning.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
    });
  }

  /** Never rejects for anything that a receiver does. Null when the sandbox closes meanwhile. */
  send({ url, headers, body }: SendRequest): Promise<SendResult | null> {
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      // Which ones are under way is known to undici, which ends them: a set of them would keep each of them alive until
      // the next full garbage collection (measured: a third of all the time).
      const exchange = new AttemptHandler(url, this.#options, (posted) =>
        resolve(this.#isClosed ? null : posted),
      );
      const request = {
        origin,
        path: pathname + search,
        method: "POST",
        headers: headers.flat(),
        body,
      } as const;
      this.#agent.dispatch(request, exchange);
    });
  }

  /** What is under way ends at once, without an outcome. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#connecting) socket.destroy(CLOSED);
    await this.#agent.destroy();
  }

  /** Connects only where a delivery may go; it is asked for every new connection, and for literals too. */
  #createGuardedConnector(): buildConnector.connector {
    const { allowPublic, timeoutMs } = this.#options;
    const connect = buildConnector({
      timeout: timeoutMs,
      lookup: createGuardedLookup(allowPublic),
    }) as SocketConnector;
    return (options, callback) => {
      const blocked = isIP(options.hostname) ? checkAddress(options.hostname, allowPublic) : null;
      // undici connects again when a connection attempt was ended.
      if (this.#isClosed || blocked) return callback(blocked ?? CLOSED, null);
      const socket = connect(options, (...result) => {
        this.#connecting.delete(socket);
        callback(...result);
      });
      this.#connecting.add(socket);
    };
  }
}

/** A connector as buildConnector makes it: undici's types leave out the socket, which it returns at once. */
type SocketConnector = (...args: Parameters<buildConnector.connector>) => Socket;

const CLOSED = new Error("closed");
