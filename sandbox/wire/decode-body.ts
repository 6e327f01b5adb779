import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ProblemError, problemError } from "./problem-error.ts";
import {
  type ChunkObserver,
  MAX_BODY_BYTES,
  parseContentEncoding,
  readChunks,
  tooLarge,
} from "./read-body.ts";

/**
 * Reads a body without its Content-Encoding (RFC 9110 §8.4.1), for koa-body: that waits for ever for the rest of a compressed
 * body that is cut off, and replaces bytes that are not UTF-8.
 *
 * @param observer gets the bytes as they arrive
 * @throws ProblemError `malformed_request`, `unsupported_media_type`, `body_too_large`
 */
export async function* decodeBody(req: IncomingMessage, observer?: ChunkObserver): AsyncGenerator<Buffer> {
  const encoding = parseContentEncoding(req);
  const received = readChunks(req, observer);
  // JSON and forms are UTF-8 (RFC 8259 §8.1); a replacement character would store what the caller did not send.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let isFirst = true;
  for await (const chunk of encoding === "identity" ? received : decompress(received, encoding)) {
    const text = decodeUtf8(() => decoder.decode(chunk, { stream: true }));
    if (isFirst && text.startsWith("\ufeff"))
      throw problemError("malformed_request", "The body begins with a byte order mark (RFC 8259 §8.1).");
    isFirst &&= text === "";
    yield chunk;
  }
  decodeUtf8(() => decoder.decode());
}

function decodeUtf8(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw problemError("malformed_request", "The body is not UTF-8.");
  }
}

const DECODERS: Readonly<Record<string, typeof createGunzip | typeof createBrotliDecompress>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

async function* decompress(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!createDecoder) {
    const detail = `Content-Encoding ${encoding} is not one of ${Object.keys(DECODERS).join(", ")}.`;
    throw problemError("unsupported_media_type", detail);
  }
  let bytes = 0;
  async function* limited() {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      // Many bytes can decode to none.
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      yield chunk;
    }
  }
  try {
    // The loop below gets its errors too.
    yield* pipeline(limited(), createDecoder(), () => undefined);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (bytes === 0) return;
    const detail = `The body is corrupt or truncated: it is not valid ${encoding}.`;
    throw problemError("malformed_request", detail);
  }
}
