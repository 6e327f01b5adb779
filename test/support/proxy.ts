import { createServer, type IncomingMessage, request as sendUpstream } from "node:http";
import { connect } from "node:net";
import { listenOnLoopback } from "./listen.ts";

/** Returns the status with which the proxy refuses a request, or null to forward it. */
type Refuse = (request: IncomingMessage) => number | null;

/** Starts a proxy on loopback that forwards every request to one service, whatever host the client names. */
export async function startProxy(service: string, refuse: Refuse = () => null) {
  const { hostname, port } = new URL(service);
  const proxyRequests: { method: string; target: string; headers: IncomingMessage["headers"] }[] = [];
  const recordRequest = (request: IncomingMessage) => {
    proxyRequests.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers });
    return refuse(request);
  };
  const proxy = createServer((request, response) => {
    const status = recordRequest(request);
    if (status !== null) return response.writeHead(status).end();
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url ?? "");
    const upstream = sendUpstream(
      { hostname, port, method, headers, path: pathname + search },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 500, upstreamResponse.headers);
        upstreamResponse.pipe(response);
      },
    );
    request.pipe(upstream);
  });
  proxy.on("connect", (request, socket) => {
    const status = recordRequest(request);
    if (status !== null) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) {
      end.on("error", () => {});
      end.on("close", () => [upstream, socket].map((other) => other.destroy()));
    }
  });
  return { host: await listenOnLoopback(proxy), proxyRequests };
}

/** Starts a proxy that opens a tunnel and sends nothing through it, or does not respond to CONNECT. */
export async function startMuteProxy(opensTunnel: boolean) {
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    targets.push(url);
    socket.on("error", () => {});
    if (opensTunnel) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  });
  return { host: await listenOnLoopback(proxy), targets };
}
