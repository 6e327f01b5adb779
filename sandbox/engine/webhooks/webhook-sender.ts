import { isIP, type Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import { checkAddress, createGuardedLookup } from "./addresses.ts";
import { AttemptHandler, type SendResult } from "./attempt-handler.ts";

export interface WebhookSenderOptions {
  readonly allowPublic: boolean;
  /** For a whole attempt: DNS, connection and response. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. It measures durations and resolves the dates that a receiver sends. */
  readonly wallClock: () => number;
}

interface SendRequest {
  readonly url: string;
  /** Sent in this order, between the headers of the connection (Host, Connection, Content-Length). */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** The other side may already be closing a connection that was idle for longer. */
const KEEP_ALIVE_MS = 1_000;

/** undici's types leave out that the connector returns its socket. */
type SocketConnector = (...args: Parameters<buildConnector.connector>) => Socket;

const CLOSED = new Error("closed");

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** Sends deliveries. It makes the only outgoing connections of the sandbox. */
export function createWebhookSender(options: WebhookSenderOptions) {
  const { allowPublic, timeoutMs } = options;
  /** Sockets that are not connected yet, which undici does not end. They never remove a listener from a shared signal. */
  const connecting = new Set<Socket>();
  let isClosed = false;
  const openSocket = buildConnector({
    timeout: timeoutMs,
    lookup: createGuardedLookup(allowPublic),
  }) as SocketConnector;

  /** Checks the address of every new connection, also a literal one. */
  const connect: buildConnector.connector = (target, callback) => {
    const blocked = isIP(target.hostname) ? checkAddress(target.hostname, allowPublic) : null;
    // undici connects again after an aborted connection attempt.
    if (isClosed || blocked) return callback(blocked ?? CLOSED, null);
    const socket = openSocket(target, (...result) => {
      connecting.delete(socket);
      callback(...result);
    });
    connecting.add(socket);
  };

  // AttemptHandler limits the whole attempt.
  const agent = new Agent({
    connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  });

  return {
    /** Never rejects because of a receiver. Resolves to null if the sandbox closes meanwhile. */
    send({ url, headers, body }: SendRequest): Promise<SendResult | null> {
      const { origin, pathname, search } = new URL(url);
      const path = pathname + search;
      return new Promise((resolve) => {
        // undici knows the attempts in flight and ends them. A set of them here would keep each one alive until the next
        // full garbage collection (measured: a third of the time).
        const handler = new AttemptHandler(url, options, (result) => resolve(isClosed ? null : result));
        agent.dispatch({ origin, path, method: "POST", headers: headers.flat(), body }, handler);
      });
    },

    async close(): Promise<void> {
      isClosed = true;
      for (const socket of connecting) socket.destroy(CLOSED);
      await agent.destroy();
    },
  };
}
