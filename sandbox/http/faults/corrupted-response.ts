import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import type { Context } from "koa";
import type { FaultEffect } from "../../../src/domain/faults/fault.ts";
import { drainRequest } from "../early-response.ts";

/** Bytes of a streamed body that count as the whole of it: it is not to be held in memory. */
const MAX_STREAM_BYTES = 64 * 1024;

/** Not hexadecimal, so no size of a chunk (RFC 9112 §7.1). */
const BAD_CHUNK = "no size of a chunk\r\n";

/** Notes that the answer is to be spoilt when it is there. */
export function markCorrupted(ctx: Context, { truncate, badChunk }: FaultEffect): void {
  if (truncate || badChunk) ctx.state.spoilt = badChunk ? "badChunk" : "truncate";
}

export const isCorrupted = (ctx: Context): boolean => ctx.state.spoilt !== undefined;

/** Sends half of an answer, and ends the connection; one without a body goes out as it is. */
export async function sendCorruptedResponse(ctx: Context): Promise<void> {
  if (!ctx.writable || ctx.method === "HEAD" || !ctx.body) return;
  const { req, res } = ctx;
  ctx.respond = false;
  const body = ctx.body instanceof Readable ? await readBeginning(ctx.body) : Buffer.from(String(ctx.body));
  // Who asked may have gone meanwhile: writing to them would be an error that nobody listens to.
  if (!ctx.writable) return;
  const isBadChunk = ctx.state.spoilt === "badChunk";
  if (isBadChunk) ctx.remove("Content-Length");
  res.flushHeaders();
  res.write(body.subarray(0, Math.ceil(body.length / 2)));
  if (isBadChunk) req.socket.write(BAD_CHUNK);
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
