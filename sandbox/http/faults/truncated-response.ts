import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { drainRequest } from "../early-response.ts";
import type { RouteContext } from "../request-state.ts";

/** Bytes of a streamed body to hold in memory; they count as the whole body. */
const MAX_STREAM_BYTES = 64 * 1024;

/** Sends half of a response and ends the connection; a response without a body goes out unchanged. */
export async function sendTruncatedResponse(ctx: RouteContext): Promise<void> {
  if (!ctx.writable || ctx.method === "HEAD" || !ctx.body) return;
  const { req, res } = ctx;
  ctx.respond = false;
  const body = ctx.body instanceof Readable ? await readBeginning(ctx.body) : Buffer.from(String(ctx.body));
  // A write to a caller that has disconnected meanwhile would be an unhandled error.
  if (!ctx.writable) return;
  res.flushHeaders();
  res.write(body.subarray(0, Math.ceil(body.length / 2)));
  await drainRequest(ctx);
  req.socket.destroySoon();
}

async function readBeginning(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<string>) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    size += bytes.length;
    if (size >= MAX_STREAM_BYTES) break;
  }
  return Buffer.concat(pieces);
}
