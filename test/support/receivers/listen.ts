import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { listenOnLoopback } from "../listen.ts";

/** The secret of every receiver in this folder. */
export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";

/** A delivery as the code of a receiver gets it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes of the body. */
  readonly raw: Buffer;
}

/** Returns the status of the response to a delivery; an exception becomes a 500, as with most frameworks. */
export type ChooseStatus = (received: Received) => number;

/** Starts a receiver on loopback, which is closed after the test, and returns its URL. */
export async function listenForDeliveries(listener: RequestListener): Promise<string> {
  return `http://${await listenOnLoopback(createServer(listener))}/hook`;
}

/** Starts a receiver that reads the whole body with plain `node:http`, and returns its URL. */
export const startReceiver = (chooseStatus: ChooseStatus): Promise<string> =>
  listenForDeliveries((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      try {
        response.statusCode = chooseStatus({ headers: request.headers, raw: Buffer.concat(chunks) });
      } catch {
        response.statusCode = 500;
      }
      response.end();
    });
  });

export const header = (
  { headers }: Received,
  name: "timestamp" | "signature" | "event",
): string | undefined => headers[`x-service-${name}`] as string | undefined;
