import { createServer, type IncomingMessage, request as sendOn } from "node:http";
import { connect } from "node:net";
import { listenOnLoopback } from "./listen.ts";

/** The status with which a proxy refuses a request, or null. */
type Refusal = (request: IncomingMessage) => number | null;

/** A proxy on loopback that sends every request to this service, whatever host the client names. */
export async function startProxy(service: string, refusal: Refusal = () => null) {
  const { hostname, port } = new URL(service);
  const seen: { method: string; target: string; headers: IncomingMessage["headers"] }[] = [];
  const refusedWith = (request: IncomingMessage) => {
    seen.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers });
    return refusal(request);
  };
  const proxy = createServer((request, response) => {
    const refused = refusedWith(request);
    if (refused !== null) return response.writeHead(refused).end();
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url ?? "");
    const onward = sendOn({ hostname, port, method, headers, path: pathname + search }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  proxy.on("connect", (request, socket) => {
    const refused = refusedWith(request);
    if (refused !== null) return socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 0\r\n\r\n`);
    const onward = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) {
      end.on("error", () => {});
      end.on("close", () => [onward, socket].map((other) => other.destroy()));
    }
  });
  return { host: await listenOnLoopback(proxy), seen };
}

/** A proxy that opens a tunnel and then stays silent, or does not even respond to CONNECT. */
export async function startMuteProxy(opens: boolean) {
  const seen: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    seen.push(url);
    socket.on("error", () => {});
    if (opens) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  });
  return { host: await listenOnLoopback(proxy), seen };
}
