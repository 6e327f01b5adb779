import { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import type { ProxySettings } from "./proxy.ts";

export interface TransportOptions {
  readonly baseUrl: string;
  /** PEM text of a certificate authority to trust beside none other. */
  readonly ca?: string | undefined;
  /** Milliseconds for connecting, for the head of the answer, and between two parts of its body. */
  readonly requestTimeoutMs: number;
  readonly proxy?: ProxySettings | undefined;
  /** Ends connections, also those that do not stand yet. */
  readonly signal?: AbortSignal | undefined;
}

type ConnectOptions = buildConnector.BuildOptions;

type ConnectionRequest = Omit<Dispatcher.RequestOptions, "origin" | "path" | "headers"> & {
  /** Names and values in turn. */
  readonly headers: string[];
};

/** A way to the service: straight, or through a proxy. */
export interface HttpConnection {
  readonly agent: Agent;
  request(url: URL, options: ConnectionRequest): Promise<Dispatcher.ResponseData>;
  destroy(): Promise<void>;
}

/** HTTP over undici; redirects are answers like any other. */
export class Transport {
  readonly #options: TransportOptions;
  #connection: Promise<HttpConnection> | null = null;
  #wasConnected = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Whether there has been any connection yet; before, nothing can have been sent. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  async send({ url, method, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    this.#connection ??= this.#open();
    const line = await this.#connection;
    const options = { method, headers: toHeaderList(headers), body: body ?? null, signal: signal ?? null };
    const answer = await line.request(new URL(url), options);
    // Whoever reads it is told. It may also fail before anybody reads, or where nobody will.
    answer.body.on("error", () => {});
    return {
      status: answer.statusCode,
      headers: joinHeaders(answer.headers),
      body: answer.body,
      discard: () => answer.body.destroy(),
    };
  }

  async close(): Promise<void> {
    // A line that could not be opened has been told to whoever wanted to send.
    await (await this.#connection?.catch(() => null))?.destroy();
  }

  async #open(): Promise<HttpConnection> {
    const { baseUrl, ca, requestTimeoutMs: requestTimeout } = this.#options;
    const connect = { timeout: Math.min(requestTimeout, 10_000) };
    const secured = { ...connect, ...(ca !== undefined && { ca }) };
    const line =
      (await this.#openProxyConnection(new URL(baseUrl), connect, secured)) ??
      connectDirectly(this.#agent(secured));
    line.agent.on("connect", () => {
      this.#wasConnected = true;
    });
    return line;
  }

  /** The given authority vouches for the service; a proxy that speaks TLS itself is held against the system's. */
  async #openProxyConnection(
    service: URL,
    connect: ConnectOptions,
    secured: ConnectOptions,
  ): Promise<HttpConnection | null> {
    const { proxy } = this.#options;
    if (!(proxy?.http || proxy?.https)) return null;
    const { signal } = this.#options;
    const { openProxyConnection: proxiedLine } = await import("./proxy-connection.ts");
    return proxiedLine(service, proxy, {
      createAgent: (connector) => this.#agent(connector ?? connect),
      connectDirectly: connectDirectly,
      connectTls: abortable(buildConnector(secured), signal),
      signal,
    });
  }

  #agent(connect: ConnectOptions | buildConnector.connector): Agent {
    const { requestTimeoutMs: requestTimeout, signal } = this.#options;
    const connector = typeof connect === "function" ? connect : buildConnector(connect);
    return new Agent({
      connect: abortable(connector, signal),
      headersTimeout: requestTimeout,
      bodyTimeout: requestTimeout,
      pipelining: 1,
    });
  }
}

/**
 * Ends a connection that does not stand yet: undici looks at a request's own signal only once there is one, and connects
 * anew when one was aborted. A socket that is given the signal itself listens to it for good, also when it is closed.
 */
const abortable =
  (connector: buildConnector.connector, signal: AbortSignal | undefined): buildConnector.connector =>
  (options, callback) => {
    const stopped = new Error("stopped");
    if (signal?.aborted) return callback(stopped, null);
    const stop = () => socket instanceof Socket && socket.destroy(stopped);
    signal?.addEventListener("abort", stop);
    const socket: unknown = connector(options, (...settled) => {
      signal?.removeEventListener("abort", stop);
      callback(...settled);
    });
  };

const connectDirectly = (agent: Agent): HttpConnection => ({
  agent,
  request: ({ origin, pathname, search }, options) =>
    agent.request({ ...options, origin, path: pathname + search }),
  destroy: () => agent.destroy(),
});

/** Names and values in turn, as undici writes them just so. */
const toHeaderList = (headers: HttpRequest["headers"]): string[] =>
  Symbol.iterator in headers ? [...headers] : Object.entries(headers).flat();

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
