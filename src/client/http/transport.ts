import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { Agent, buildConnector, type Dispatcher } from "undici";
import type { ProxySettings } from "./proxy.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** By name, or a flat list like Node's `rawHeaders`, which keeps case, order and repetition. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body?: Readable | Uint8Array | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Drops the body. Only a body that has arrived already leaves its connection open for others. */
  discard(): void;
}

export interface TransportOptions {
  readonly baseUrl: string;
  /** PEM text of a certificate authority to trust, and no other. */
  readonly ca?: string | undefined;
  /** Limits connecting, the wait for the headers, and the wait between two chunks of the body. */
  readonly requestTimeoutMs: number;
  readonly proxy?: ProxySettings | undefined;
  /** Ends connections, also those in preparation. */
  readonly signal?: AbortSignal | undefined;
}

type ConnectionRequest = Omit<Dispatcher.RequestOptions, "origin" | "path" | "headers"> & {
  /** A flat list of names and values. */
  readonly headers: string[];
};

/** A connection to the service, direct or through a proxy. */
export interface HttpConnection {
  readonly agent: Agent;
  request(url: URL, options: ConnectionRequest): Promise<Dispatcher.ResponseData>;
  destroy(): Promise<void>;
}

/** HTTP over undici. It follows no redirects. */
export class Transport {
  readonly #options: TransportOptions;
  #connection: Promise<HttpConnection> | null = null;
  #wasConnected = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Whether there was a connection. Without one, nothing can have been sent. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  async send({ url, method, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    this.#connection ??= this.#open();
    const connection = await this.#connection;
    const list = Symbol.iterator in headers ? [...headers] : Object.entries(headers).flat();
    const response = await connection.request(new URL(url), {
      method,
      headers: list,
      body: body ?? null,
      signal: signal ?? null,
    });
    // The reader gets the error. Without a listener, an error before or without a reader would end the process.
    response.body.on("error", () => {});
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      body: response.body,
      discard: () => response.body.destroy(),
    };
  }

  async close(): Promise<void> {
    // The sender already got the error of a connection that could not be opened.
    await (await this.#connection?.catch(() => null))?.destroy();
  }

  async #open(): Promise<HttpConnection> {
    const { baseUrl, ca, proxy, requestTimeoutMs, signal } = this.#options;
    const plain = { timeout: Math.min(requestTimeoutMs, 10_000) };
    // The given authority is for the service; a TLS proxy is checked with the system's authorities.
    const secure = buildConnector({ ...plain, ...(ca !== undefined && { ca }) });
    const proxied =
      proxy?.http || proxy?.https
        ? (await import("./proxy-connection.ts")).openProxyConnection(new URL(baseUrl), proxy, {
            createAgent: (connector = buildConnector(plain)) => this.#createAgent(connector),
            connectDirectly,
            connectTls: abortable(secure, signal),
            signal,
          })
        : null;
    const connection = proxied ?? connectDirectly(this.#createAgent(secure));
    connection.agent.on("connect", () => {
      this.#wasConnected = true;
    });
    return connection;
  }

  #createAgent(connector: buildConnector.connector): Agent {
    const { requestTimeoutMs, signal } = this.#options;
    return new Agent({
      connect: abortable(connector, signal),
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      pipelining: 1,
    });
  }
}

/**
 * Ends a connection in preparation. undici checks the signal of a request only after it is connected, and connects again
 * after an abort. A socket never removes its listener from a signal that it is given, even after it is closed.
 */
const abortable =
  (connector: buildConnector.connector, signal: AbortSignal | undefined): buildConnector.connector =>
  (options, callback) => {
    const aborted = new Error("stopped");
    if (signal?.aborted) return callback(aborted, null);
    const abort = () => socket instanceof Socket && socket.destroy(aborted);
    signal?.addEventListener("abort", abort);
    const socket: unknown = connector(options, (...settled) => {
      signal?.removeEventListener("abort", abort);
      callback(...settled);
    });
  };

const connectDirectly = (agent: Agent): HttpConnection => ({
  agent,
  request: ({ origin, pathname, search }, options) =>
    agent.request({ ...options, origin, path: pathname + search }),
  destroy: () => agent.destroy(),
});

const joinHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
