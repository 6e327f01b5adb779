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
  /** One byte of the body at a time, each after this pause. */
  readonly byteEveryMs?: number;
}

export interface ReceivedRequest {
  readonly method: string;
  /** The request target, byte for byte. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
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
  /** Refuses connections until `resume`, which listens on the same port. */
  pause(): Promise<void>;
  resume(): Promise<void>;
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

const bytesOf = (body: WireResponse["body"]) =>
  typeof body === "function" ? body() : Buffer.from(body ?? "");

async function send(socket: Socket, response: ServerResponse, wire: WireResponse): Promise<void> {
  const body = bytesOf(wire.body);
  if (wire.cutAfter === 0) return void socket.destroy();
  const length = wire.status === 204 || wire.status === 304 ? {} : { "content-length": body.length };
  response.writeHead(wire.status, { ...length, ...wire.headers });
  if (wire.cutAfter !== undefined) {
    response.write(body.subarray(0, wire.cutAfter), () => socket.destroy());
  } else if (wire.byteEveryMs === undefined) {
    response.end(body);
  } else {
    response.flushHeaders();
    for (const byte of body) {
      await new Promise((resolve) => setTimeout(resolve, wire.byteEveryMs).unref());
      if (socket.destroyed) return;
      response.write(Uint8Array.of(byte));
    }
    response.end();
  }
}

/** A service on a free port of 127.0.0.1 that sends what `respondTo` returns, unless a test scripted something else. */
export async function startServer(
  respondTo: (request: ReceivedRequest) => WireResponse,
): Promise<RunningService> {
  const requests: ReceivedRequest[] = [];
  const scripted = new Map<string, WireResponse[]>();
  const permanent = new Map<string, WireResponse>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const { method = "", url: target = "/", headers } = incoming;
    const [path = "/", query = ""] = target.split("?", 2);
    const request: ReceivedRequest = {
      method,
      target,
      path,
      query: new URLSearchParams(query),
      headers,
      body: Buffer.concat(chunks),
    };
    requests.push(request);
    const key = `${method} ${path}`;
    const wire = scripted.get(key)?.shift() ?? permanent.get(key) ?? respondTo(request);
    await send(incoming.socket, response, wire);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
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
    pause: stop,
    resume: () => listen(port),
    close: stop,
  };
}
