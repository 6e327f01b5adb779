import { Buffer } from "node:buffer";
import { once } from "node:events";
import {
  Agent,
  createServer,
  IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { launchPrism, type Prism } from "./prism.ts";

/**
 * Sends the exchanges of every sandbox in this process through Prism once more, byte for byte. Its upstream responds with
 * the recorded response, so that the flows themselves do not depend on the transport of Prism, which buffers bodies and
 * reads them as text.
 */

/** A response of a sandbox, with the request that it belongs to. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: OutgoingHttpHeaders;
  readonly requestBody: Buffer;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** Prism holds both bodies in memory, as parsed JSON. */
const MAX_REPLAYED_BYTES = 1024 * 1024;

/** Prism reads the name of a file as JSON, after it has split the line at these characters, and ends if it is not JSON. */
const UNREADABLE_FILE_NAME = /; filename="[^"]*[;=\\][^"]*"/;

/** Names the exchange that Prism asks its upstream for. */
export const EXCHANGE_HEADER = "x-test-exchange";

/** Of the connection, and not of the message. */
const CONNECTION_HEADERS = [
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "host",
];

const withoutConnectionHeaders = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name)));

const requestBodies = new WeakMap<IncomingMessage, Buffer[]>();
const pending: Promise<void>[] = [];
const violations: string[] = [];

/** Records the body of every request that a server of this process receives. */
export function recordRequestBodies(): void {
  const { push } = IncomingMessage.prototype;
  IncomingMessage.prototype.push = function (this: IncomingMessage, chunk: unknown, ...rest: unknown[]) {
    // Only a request has a method.
    if (this.method && chunk instanceof Uint8Array) {
      const chunks = requestBodies.get(this) ?? [];
      requestBodies.set(this, chunks);
      chunks.push(Buffer.from(chunk));
    }
    return Reflect.apply(push, this, [chunk, ...rest]);
  } as typeof push;
}

/** Call it after the last byte of the response. */
export function replayThroughPrism(response: ServerResponse, body: Buffer): void {
  const { req } = response;
  const { method = "", url: path = "" } = req;
  const requestBody = Buffer.concat(requestBodies.get(req) ?? []);
  // The document has neither of these methods.
  if (method === "HEAD" || method === "OPTIONS") return;
  if (Math.max(body.length, requestBody.length) > MAX_REPLAYED_BYTES) return;
  if (UNREADABLE_FILE_NAME.test(requestBody.toString("latin1"))) return;
  const exchange: Exchange = {
    method,
    path,
    requestHeaders: withoutConnectionHeaders(req.headers),
    requestBody,
    status: response.statusCode,
    headers: withoutConnectionHeaders(response.getHeaders()),
    body,
  };
  pending.push(replay(exchange));
}

/** Waits for the exchanges so far, and returns their violations. */
export async function takePrismViolations(): Promise<readonly string[]> {
  await Promise.all(pending.splice(0));
  return violations.splice(0);
}

const agent = new Agent({ maxSockets: 4 });
const recorded = new Map<string, Exchange>();
let count = 0;
let prism: Promise<Prism> | undefined;

async function replay(exchange: Exchange): Promise<void> {
  const id = String(count++);
  recorded.set(id, exchange);
  prism ??= startReplay();
  const { method, path, requestHeaders, requestBody, status } = exchange;
  const { readLog, url } = await prism;
  const { hostname, port } = new URL(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = requestBody.length > 0 ? { "content-length": requestBody.length } : {};
    const headers = { ...requestHeaders, ...length, [EXCHANGE_HEADER]: id };
    const fail = (cause: Error) =>
      reject(
        new Error(`Prism failed for ${method} ${path} → ${status}: ${readLog().slice(-2_000)}`, { cause }),
      );
    request({ agent, hostname, port, method, path, headers }, resolve).once("error", fail).end(requestBody);
  });
  const text = (await buffer(response)).toString("utf8");
  const wasForwarded = !recorded.delete(id);
  if (!wasForwarded) violations.push(`${method} ${path} → ${status}: Prism did not forward it: ${text}`);
  for (const violation of findViolations(exchange, String(response.headers["sl-violations"] ?? "[]")))
    violations.push(`${method} ${path} → ${status}: ${violation}`);
}

interface Violation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly message: string;
}

/** A request may violate the contract, if the sandbox refuses it. */
function findViolations({ status }: Exchange, header: string): readonly string[] {
  if (!header.startsWith("[")) return [header];
  return (JSON.parse(header) as Violation[])
    .filter(({ location: [side], severity }) => (side === "request" ? status < 400 : severity === "Error"))
    .map(({ location, message }) => `${location.join(".")} ${message}`);
}

/** One Prism for this process, with the recorded responses as its upstream. */
async function startReplay(): Promise<Prism> {
  const server = createServer((received, response) => {
    const id = String(received.headers[EXCHANGE_HEADER]);
    const exchange = recorded.get(id);
    recorded.delete(id);
    // Prism would reuse a connection that has just timed out.
    response.setHeader("connection", "close");
    response.writeHead(exchange?.status ?? 500, exchange?.headers ?? {}).end(exchange?.body);
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { CLAIMS_TEST_PRISM = "" } = process.env;
  const launched = await launchPrism(CLAIMS_TEST_PRISM, upstream, "--cors", "false");
  process.once("exit", () => launched.close());
  return launched;
}
