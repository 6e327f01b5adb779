import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopback, toListenError } from "../../../../domain/net.ts";
import { LOOPBACK_IDLE_MS } from "../../../connection/embedded-sandbox.ts";
import type { Context } from "../../../context.ts";
import { PORT_HINT } from "../../../framework/values.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readDelivery } from "./delivery.ts";
import type { DeliveryHandler, Reply } from "./delivery-handler.ts";

/** Milliseconds. A slower sender loses its connection. */
const SERVER_LIMITS = { headersTimeout: 5_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
const USAGE_TEXT = "This is claims webhooks listen. It takes webhook deliveries: POST them to any path.\n";

/** Starts an HTTP server for deliveries. @throws ClaimsError `port_in_use`, `option_invalid` */
export async function startDeliveryServer(
  context: Context,
  { host, port }: { readonly host: string; readonly port: number },
  handle: DeliveryHandler,
  onError: (error: Error) => void,
) {
  const log = (line: string): void => printMessage(context, line);
  const inFlight = new Set<Promise<void>>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    if (method !== "POST") {
      log(`${method} ${url}: 405, a delivery is a POST`);
      sendReply(response, { status: 405, text: USAGE_TEXT });
      return;
    }
    const incoming = await readDelivery(request, context.now()).catch(() => null);
    if (incoming === null) {
      log(`POST ${url}: truncated`);
      return;
    }
    const work = handle(incoming, (reply) => sendReply(response, reply)).catch(onError);
    inFlight.add(work);
    await work;
    inFlight.delete(work);
  }

  const server = createServer(SERVER_LIMITS, (request, response) => void serve(request, response));
  if (isLoopback(host)) server.keepAliveTimeout = LOOPBACK_IDLE_MS;
  server.listen(port, host);
  await once(server, "listening").catch((error) => {
    throw toListenError(error, host, port, PORT_HINT);
  });
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`,
    /** Accepts no more requests; resolves when the deliveries in flight have a response. */
    async close(): Promise<void> {
      server.close();
      await Promise.all(inFlight);
      server.closeAllConnections();
    },
  };
}

function sendReply(response: ServerResponse, { status, text, retryAfter }: Reply): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    ...(retryAfter && { "retry-after": retryAfter }),
    ...(status === 405 && { allow: "POST" }),
  });
  response.end(text);
}
