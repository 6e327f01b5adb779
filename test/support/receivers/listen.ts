import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { listenOnLoopback } from "../listen.ts";

/** The secret of every receiver here. */
export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";

/** A delivery as a receiver's own code sees it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  readonly raw: Buffer;
}

/** The status that a receiver answers with; what it throws is a 500, as with most frameworks. */
export type Verdict = (received: Received) => number;

/** The address of a receiver on loopback, which is closed after the test. */
export async function receiverAt(listener: RequestListener): Promise<string> {
  return `http://${await listenOnLoopback(createServer(listener))}/hook`;
}

/** A receiver of plain `node:http` that reads the body whole and asks for a verdict. */
export const receiver = (verdict: Verdict): Promise<string> =>
  receiverAt((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      try {
        response.statusCode = verdict({ headers: request.headers, raw: Buffer.concat(chunks) });
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
