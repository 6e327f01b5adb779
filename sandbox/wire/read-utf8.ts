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
 * Reads a body of text without its Content-Encoding for koa-body, which waits for ever for the rest of a compressed body that is
 * cut off, and replaces bytes that are not UTF-8 (RFC 8259 §8.1): the store would get what the caller did not send.
 *
 * @param observer gets the bytes as they arrive
 * @throws ProblemError `malformed_request`, `unsupported_media_type`, `body_too_large`
 */
export async function* readUtf8(req: IncomingMessage, observer?: ChunkObserver): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let isFirst = true;
  for await (const chunk of decompress(req, observer)) {
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

async function* decompress(req: IncomingMessage, observer?: ChunkObserver): AsyncGenerator<Buffer> {
  const encoding = parseContentEncoding(req);
  if (encoding === "identity") return yield* readChunks(req, observer);
  const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!createDecoder) {
    const detail = `Content-Encoding ${encoding} is not one of ${Object.keys(DECODERS).join(", ")}.`;
    throw problemError("unsupported_media_type", detail);
  }
  let bytes = 0;
  async function* count() {
    for await (const chunk of readChunks(req, observer)) {
      bytes += chunk.length;
      // Many bytes can decode to none.
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      yield chunk;
    }
  }
  try {
    // The loop of the reader gets its errors too.
    yield* pipeline(count(), createDecoder(), () => undefined);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const detail = `The body is corrupt or truncated: it is not valid ${encoding}.`;
    if (bytes > 0) throw problemError("malformed_request", detail);
  }
}
