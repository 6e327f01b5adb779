import type { Socket } from "node:net";
import type { Agent, buildConnector } from "undici";
import { type ClaimsError, unreachableError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { findProxy, type ProxyServer, type ProxySettings } from "./proxy.ts";
import { describeErrorCode } from "./request-errors.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";
import type { HttpConnection } from "./transport.ts";

/** The transport passes these, so that this module does not load undici a second time. */
interface ProxyConnectionParts {
  /** Connects directly without a connector. */
  readonly createAgent: (connector?: buildConnector.connector) => Agent;
  readonly connectDirectly: (agent: Agent) => HttpConnection;
  /** Starts TLS with the service over an existing connection. */
  readonly connectTls: buildConnector.connector;
  /** Ends a tunnel in preparation. */
  readonly signal: AbortSignal | undefined;
}

/** Null if no proxy is set for the service. */
export function openProxyConnection(
  service: URL,
  settings: ProxySettings,
  parts: ProxyConnectionParts,
): HttpConnection | null {
  const proxy = findProxy(service, settings);
  if (proxy === null) return null;
  return service.protocol === "https:" ? openTunnel(proxy, parts) : openForwarding(proxy, parts);
}

/** http: sends the absolute URL to the proxy (RFC 9112 §3.2.2). */
function openForwarding(proxy: ProxyServer, { createAgent }: ProxyConnectionParts): HttpConnection {
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
function openTunnel(proxy: ProxyServer, parts: ProxyConnectionParts): HttpConnection {
  const { createAgent, connectDirectly, connectTls, signal } = parts;
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
