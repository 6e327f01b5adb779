import { setMaxListeners } from "node:events";
import { isIP } from "node:net";
import { Agent, buildConnector } from "undici";
import { blockOf, guardedLookup } from "./addresses.ts";
import { Exchange, type Posted } from "./exchange.ts";

export type { Posted } from "./exchange.ts";

export interface PosterOptions {
  /** Whether deliveries may leave for public addresses. */
  readonly allowPublic: boolean;
  /** For a whole attempt: name, connection, answer and its body. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970; durations are taken from it, and dates that a receiver names are held against it. */
  readonly wallClock: () => number;
}

/** One attempt to send. */
export interface Posting {
  readonly url: string;
  /** Sent with these names, in this order; the connection's own (Host, Connection, Content-Length) stand around them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A connection that has been idle for longer than this may be closing on the other side already. */
const KEEP_ALIVE_MS = 1_000;

/** Sends deliveries. It has the only connections that the sandbox makes, and holds none back while it is idle. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #agent: Agent;
  readonly #closing = new AbortController();

  constructor(options: PosterOptions) {
    this.#options = options;
    const { signal } = this.#closing;
    setMaxListeners(0, signal);
    this.#agent = new Agent({
      connect: guardedConnector(options, signal),
      // The time of an attempt is kept here, from its very beginning.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
    });
  }

  /** Never rejects for anything that a receiver does. Null when the sandbox closes meanwhile. */
  post({ url, headers, body }: Posting): Promise<Posted | null> {
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      // Which ones are under way is known to undici, which ends them: a set of them would keep each of them alive until
      // the next full garbage collection (measured: a third of all the time).
      const exchange = new Exchange(url, this.#options, (posted) =>
        resolve(this.#closing.signal.aborted ? null : posted),
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
    this.#closing.abort();
    await this.#agent.destroy();
  }
}

/** Connects only where a delivery may go; it is asked for every new connection, and for literals too. */
function guardedConnector(
  { allowPublic, timeoutMs }: PosterOptions,
  signal: AbortSignal,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(allowPublic), signal });
  return (options, callback) => {
    const blocked = isIP(options.hostname) ? blockOf(options.hostname, allowPublic) : null;
    // undici connects anew when a connection was aborted; a socket that begins aborted would keep the process alive.
    if (signal.aborted || blocked) callback(blocked ?? new Error("closed"), null);
    else connect(options, callback);
  };
}
