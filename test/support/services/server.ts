import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A response as it goes over the wire: no header is added except `Content-Length`, `Date` and `Connection`. */
export interface WireResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function makes a large body only when it is sent. */
  readonly body?: string | Uint8Array | (() => Uint8Array);
  /** The connection ends after this number of bytes of the body; 0 ends it before the headers. */
  readonly cutAfter?: number;
}

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface RunningService {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The next requests of this method and path get these responses, in order; the later ones get what the service sends itself. */
  respond(method: string, path: string, ...responses: readonly WireResponse[]): void;
  /** All further requests of this method and path get this response. */
  respondAlways(method: string, path: string, response: WireResponse): void;
  /** Forgets what `respond` and `respondAlways` set, and the requests. */
  clear(): void;
  close(): Promise<void>;
}

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

function send(socket: Socket, response: ServerResponse, wire: WireResponse): void {
  const body = typeof wire.body === "function" ? wire.body() : Buffer.from(wire.body ?? "");
  if (wire.cutAfter === 0) return void socket.destroy();
  const length = wire.status === 204 || wire.status === 304 ? {} : { "content-length": body.length };
  response.writeHead(wire.status, { ...length, ...wire.headers });
  if (wire.cutAfter === undefined) response.end(body);
  else response.write(body.subarray(0, wire.cutAfter), () => socket.destroy());
}

/** A service on a free port of 127.0.0.1 that sends what `respondTo` returns, unless a test scripted something else. */
export async function startServer(
  respondTo: (request: ReceivedRequest) => WireResponse,
): Promise<RunningService> {
  const requests: ReceivedRequest[] = [];
  const scripted = new Map<string, WireResponse[]>();
  const permanent = new Map<string, WireResponse>();
  const server = createServer((incoming, response) => {
    incoming.resume().on("end", () => {
      const { method = "", url = "/", headers } = incoming;
      const [path = "/"] = url.split("?", 1);
      const request = { method, path, headers };
      requests.push(request);
      const key = `${method} ${path}`;
      const wire = scripted.get(key)?.shift() ?? permanent.get(key) ?? respondTo(request);
      send(incoming.socket, response, wire);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    requests,
    respond: (method, path, ...responses) => {
      const key = `${method} ${path}`;
      scripted.set(key, [...(scripted.get(key) ?? []), ...responses]);
    },
    respondAlways: (method, path, response) => void permanent.set(`${method} ${path}`, response),
    clear: () => {
      scripted.clear();
      permanent.clear();
      requests.length = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
