import type { Socket } from "node:net";
import type { Agent, buildConnector } from "undici";
import { ClaimsError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { findProxy, type ProxyServer, type ProxySettings } from "./proxy.ts";
import { describeErrorCode } from "./request-errors.ts";
import { isCertificateError, wasNotSent } from "./retry.ts";
import type { HttpConnection } from "./transport.ts";

/** What a line to a proxy is made of; undici itself is in the caller's bundle already. */
export interface ProxyConnectionParts {
  /** An agent for connections that this connector makes, or for direct ones. */
  readonly createAgent: (connect?: buildConnector.connector) => Agent;
  /** A line over an agent whose connections lead to the service. */
  readonly connectDirectly: (agent: Agent) => HttpConnection;
  /** Speaks TLS with the service over a connection that stands. */
  readonly connectTls: buildConnector.connector;
  /** Ends a tunnel that does not stand yet. */
  readonly signal: AbortSignal | undefined;
}

/** The line to a service through its proxy; null where it has none. */
export function openProxyConnection(
  service: URL,
  settings: ProxySettings,
  parts: ProxyConnectionParts,
): HttpConnection | null {
  const proxy = findProxy(service, settings);
  if (proxy === null) return null;
  return service.protocol === "https:"
    ? createTunnel(proxy, parts)
    : createForwardingConnection(proxy, parts);
}

/** Plain http: the proxy is asked for the absolute address (RFC 9112 §3.2.2). */
function createForwardingConnection(
  proxy: ProxyServer,
  { createAgent: newAgent }: ProxyConnectionParts,
): HttpConnection {
  const agent = newAgent();
  return {
    agent,
    async request(url, options) {
      const headers = [...options.headers, ...Object.entries(proxy.headers).flat(), "host", url.host];
      const path = url.origin + url.pathname + url.search;
      const answer = await agent
        .request({ ...options, origin: proxy.origin, path, headers })
        .catch((error: unknown) => {
          throw wasNotSent(findErrorCode(error)) ? proxyUnreachable(proxy, error) : error;
        });
      if (answer.statusCode !== 407) return answer;
      answer.body.on("error", () => {}).destroy();
      throw proxyRefused(proxy, 407);
    },
    destroy: () => agent.destroy(),
  };
}

/** https: through a tunnel (RFC 9110 §9.3.6), in which the proxy sees nothing of what is said. */
function createTunnel(
  proxy: ProxyServer,
  { createAgent: newAgent, connectTls: secure, signal, connectDirectly: straight }: ProxyConnectionParts,
): HttpConnection {
  const hop = newAgent();
  const agent = newAgent((options, done) => {
    const path = options.port ? (options.host ?? "") : `${options.host}:443`;
    hop
      .connect({ origin: proxy.origin, path, headers: { ...proxy.headers, host: path }, signal })
      .then(({ statusCode, socket }) => {
        const isOpen = statusCode >= 200 && statusCode < 300;
        // What undici hands over after CONNECT is the socket itself; its types only say less.
        if (isOpen) return secure({ ...options, httpSocket: socket as Socket }, done);
        socket.destroy();
        done(proxyRefused(proxy, statusCode), null);
      })
      .catch((error: unknown) => done(proxyUnreachable(proxy, error), null));
  });
  return {
    ...straight(agent),
    async destroy() {
      await Promise.all([agent.destroy(), hop.destroy()]);
    },
  };
}

function proxyRefused({ host, variable }: ProxyServer, status: number): ClaimsError {
  const wantsLogin = status === 407;
  const what = wantsLogin ? "wants a name and a password" : "refuses to connect to the service";
  return new ClaimsError("unreachable", "proxy_refused", `the proxy ${host} ${what} (${status})`, {
    hint: wantsLogin
      ? `put them into ${variable}: http://name:password@host:port`
      : `check ${variable}, or list the service in NO_PROXY`,
    status,
  });
}

const proxyUnreachable = ({ host, variable }: ProxyServer, cause: unknown): ClaimsError =>
  new ClaimsError(
    "unreachable",
    "proxy_refused",
    `the proxy ${host}: ${describeErrorCode(findErrorCode(cause))}`,
    {
      hint: `check ${variable}, or list the service in NO_PROXY`,
      retryable: !isCertificateError(findErrorCode(cause)),
      cause,
    },
  );
