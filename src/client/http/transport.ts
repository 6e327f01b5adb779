import { lookup } from "node:dns";
import type { EventEmitter } from "node:events";
import { type LookupFunction, Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { type ClaimsError, unreachableError } from "../../domain/errors.ts";
import { findErrorCode, isLoopback } from "../../domain/net.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";
import { findProxy, type ProxyServer, type ProxySettings } from "./proxy.ts";
import { describeErrorCode } from "./request-errors.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";

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
  #connection: HttpConnection | null = null;
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
    const list = Symbol.iterator in headers ? [...headers] : Object.entries(headers).flat();
    const response = await this.#connection.request(new URL(url), {
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
    await this.#connection?.destroy();
  }

  #open(): HttpConnection {
    const { baseUrl, ca, proxy, requestTimeoutMs, signal } = this.#options;
    const plain = { timeout: Math.min(requestTimeoutMs, 10_000), lookup: lookupHost };
    // The given authority is for the service; a TLS proxy is checked with the system's authorities.
    const secure = buildConnector({ ...plain, ...(ca !== undefined && { ca }) });
    const createAgent = (connector = buildConnector(plain)) => this.#createAgent(connector);
    const url = new URL(baseUrl);
    const server = proxy ? findProxy(url, proxy) : null;
    const connection =
      server === null
        ? connectDirectly(createAgent(secure))
        : url.protocol === "https:"
          ? openTunnel(server, createAgent, abortable(secure, signal), signal)
          : openForwarding(server, createAgent);
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

/** Names below localhost are this machine (RFC 6761 §6.3), and few resolvers know them. */
const lookupHost: LookupFunction = (host, options, callback) =>
  lookup(isLoopback(host) ? "localhost" : host, options, callback);

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
      const [, connected] = settled;
      if (connected) endSafely(connected);
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

/** Connects directly without a connector. */
type CreateAgent = (connector?: buildConnector.connector) => Agent;

/** http: sends the absolute URL to the proxy (RFC 9112 §3.2.2). */
function openForwarding(proxy: ProxyServer, createAgent: CreateAgent): HttpConnection {
  const agent = createAgent();
  return {
    agent,
    async request({ origin, pathname, search, host }, options) {
      const response = await agent
        .request({
          ...options,
          origin: proxy.origin,
          path: origin + pathname + search,
          headers: [...options.headers, ...Object.entries(proxy.headers).flat(), "host", host],
        })
        .catch((error: unknown) => {
          throw wasNotSent(findErrorCode(error)) ? proxyUnreachable(proxy, error) : error;
        });
      if (response.statusCode !== 407) return response;
      response.body.on("error", () => {}).destroy();
      throw proxyRefused(proxy, 407);
    },
    destroy: () => agent.destroy(),
  };
}

/** https: a tunnel (RFC 9110 §9.3.6) hides the content from the proxy. */
function openTunnel(
  proxy: ProxyServer,
  createAgent: CreateAgent,
  /** Starts TLS with the service over an existing connection. */
  connectTls: buildConnector.connector,
  signal: AbortSignal | undefined,
): HttpConnection {
  const hop = createAgent();
  const agent = createAgent((options, done) => {
    const path = options.port ? (options.host ?? "") : `${options.host}:443`;
    hop
      .connect({ origin: proxy.origin, path, headers: { ...proxy.headers, host: path }, signal })
      .then(({ statusCode, socket }) => {
        // After CONNECT, undici returns the socket itself; its types say only Duplex.
        if (statusCode >= 200 && statusCode < 300)
          return connectTls({ ...options, httpSocket: socket as Socket }, done);
        socket.destroy();
        done(proxyRefused(proxy, statusCode), null);
      })
      .catch((error: unknown) => done(proxyUnreachable(proxy, error), null));
  });
  return {
    ...connectDirectly(agent),
    async destroy() {
      await Promise.all([agent.destroy(), hop.destroy()]);
    },
  };
}

const settingHint = (variable: string) => `check ${variable}, or list the service in NO_PROXY`;

function proxyRefused({ host, variable }: ProxyServer, status: number): ClaimsError {
  const [problem, hint] =
    status === 407
      ? ["requires a name and a password", `put them into ${variable}: http://name:password@host:port`]
      : ["refuses to connect to the service", settingHint(variable)];
  return unreachableError("proxy_refused", `the proxy ${host} ${problem} (${status})`, { hint, status });
}

function proxyUnreachable({ host, variable }: ProxyServer, cause: unknown): ClaimsError {
  const code = findErrorCode(cause);
  return unreachableError("proxy_refused", `the proxy ${host}: ${describeErrorCode(code)}`, {
    hint: settingHint(variable),
    retryable: !isCertificateError(code),
    cause,
  });
}

const ENDINGS: ReadonlySet<string | symbol> = new Set(["end", "error", "close"]);

/**
 * Turns an exception of undici at the end of a connection into an error of the response.
 *
 * undici stops reading while the reader of a body is slow. If a connection without keep-alive ends in that time, undici throws
 * in an event of the socket, where nothing can catch it (nodejs/undici#5360; mended in a version that needs a newer Node).
 */
function endSafely(socket: Socket): void {
  const emit: EventEmitter["emit"] = socket.emit;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      return emit.call(socket, event, ...values);
    } catch (cause) {
      if (!ENDINGS.has(event)) throw cause;
      const error = new Error("the connection ended while the response was read", { cause });
      emit.call(socket, "error", Object.assign(error, { code: "UND_ERR_SOCKET" }));
      if (event === "close") return emit.call(socket, event, ...values);
      socket.destroy();
      return true;
    }
  };
}
