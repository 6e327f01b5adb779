import { type Buffer, isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ByteCollector } from "../../src/domain/byte-collector.ts";
import { problemError } from "./problem-error.ts";

/** Of a body that is not a file (product.md §5). */
const MAX_BODY_BYTES = 1024 * 1024;

const DECODERS = new Map([
  ["gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

export interface ChunkObserver {
  append(chunk: Uint8Array): void;
}

/**
 * Reads a body of at most 1 MiB, compressed or not, as text, and decodes its Content-Encoding (RFC 9110 §8.4.1). Empty
 * when no byte arrived, whatever the headers announced.
 */
export async function readText(req: IncomingMessage, observer?: ChunkObserver): Promise<string> {
  const bytes = await readBytes(req, observer);
  const encoding = parseContentEncoding(req);
  const decode = DECODERS.get(encoding);
  if (bytes.length === 0 || encoding === "identity") return decodeUtf8(bytes);
  if (!decode) {
    const known = [...DECODERS.keys()].join(", ");
    throw problemError("unsupported_media_type", `Content-Encoding ${encoding} is not one of ${known}.`);
  }
  return decodeUtf8(
    await decode(bytes, { maxOutputLength: MAX_BODY_BYTES }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
      throw problemError(
        "malformed_request",
        `The body is corrupt or truncated: it is not valid ${encoding}.`,
      );
    }),
  );
}

/** JSON and forms are UTF-8 (RFC 8259 §8.1); a replacement character would store what the caller did not send. */
function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw problemError("malformed_request", "The body is not UTF-8.");
}

/** Lower-case; `identity` where the header is missing. */
export const parseContentEncoding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads a body of at most 1 MiB without decoding it. */
export async function readBytes(req: IncomingMessage, observer?: ChunkObserver): Promise<Buffer> {
  const body = new ByteCollector();
  for await (const chunk of readChunks(req)) {
    observer?.append(chunk);
    if (body.length + chunk.length > MAX_BODY_BYTES) throw tooLarge();
    body.append(chunk);
  }
  return body.bytes();
}

/** Reads a body of any size. The request survives a reader that stops early, so that a refusal can be sent. */
export async function* readChunks(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (error) {
    // A caller that disconnects is not an error of the sandbox.
    if (!req.destroyed || req.complete) throw error;
    throw problemError("malformed_request", "The body ended too early.");
  }
}

const tooLarge = () => problemError("body_too_large", `The body has more than ${MAX_BODY_BYTES} bytes.`);
