import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { pairRawHeaders } from "../../../../domain/webhooks/headers.ts";
import type { ReceivedDelivery } from "../input-formats/delivery.ts";

/** What somebody posted, as it came. */
export interface IncomingDelivery extends ReceivedDelivery {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Path and query, as they stood in the request line. */
  readonly path: string;
  /** Bytes; more than the body holds where it was too large to be kept. */
  readonly size: number;
}

/** A payload is no file: interface §6 shows none, and the service's own have a few hundred bytes. */
export const MAX_BODY_BYTES = 5 << 20;

/** Reads a request to its end, so that its sender reads the answer, and keeps what is no larger than a body may be. */
export async function readDelivery(request: IncomingMessage, at: number): Promise<IncomingDelivery> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size <= MAX_BODY_BYTES) pieces.push(piece);
    else pieces.length = 0;
  }
  return {
    at,
    path: request.url ?? "/",
    headers: pairRawHeaders(request.rawHeaders),
    body: Buffer.concat(pieces),
    size,
  };
}
