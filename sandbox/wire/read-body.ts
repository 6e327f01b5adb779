import { Buffer, isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { problemError } from "./problem-error.ts";

/** A body that is not a file (product.md §5). */
const MAX_BODY_BYTES = 1024 * 1024;

const DECODERS = new Map([
  ["gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Is told the bytes of a body as they come. */
export interface ChunkObserver {
  append(chunk: Uint8Array): void;
}

/**
 * A small body as text, its Content-Encoding undone (RFC 9110 §8.4.1); empty when no byte arrived, whatever the headers
 * announced. Refuses one beyond 1 MiB, packed or unpacked.
 */
export async function readText(req: IncomingMessage, listener?: ChunkObserver): Promise<string> {
  const bytes = await readBytes(req, listener);
  const encoding = parseContentEncoding(req);
  const decode = DECODERS.get(encoding);
  if (bytes.length === 0 || encoding === "identity") return decodeUtf8(bytes);
  if (!decode) {
    const known = [...DECODERS.keys()].join(", ");
    throw problemError("unsupported_media_type", `Content-Encoding ${encoding} is none of ${known}.`);
  }
  return decodeUtf8(
    await decode(bytes, { maxOutputLength: MAX_BODY_BYTES }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
      const detail = `The body is broken or cut short: it is not ${encoding} throughout.`;
      throw problemError("malformed_request", detail);
    }),
  );
}

/** JSON and forms are UTF-8 (RFC 8259 §8.1); replacing what is not would store what nobody sent. */
function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw problemError("malformed_request", "The body is not UTF-8.");
}

/** Lower-case; `identity` where the header is missing. */
export const parseContentEncoding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** A small body as it came, packed or not; refuses one beyond 1 MiB. */
export async function readBytes(req: IncomingMessage, listener?: ChunkObserver): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Destroying the request would take the connection with it, and the refusal could not be sent.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      listener?.append(chunk);
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // Nobody will read the answer, but a caller that hangs up is no failure of ours.
    throw req.destroyed && !req.complete ? bodyTruncated() : error;
  }
  return Buffer.concat(chunks);
}

/** The same of any size, as it comes; whoever reads no further can still answer. */
export async function* readChunks(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (error) {
    throw req.destroyed && !req.complete ? bodyTruncated() : error;
  }
}

const bodyTruncated = () => problemError("malformed_request", "The body ended too early.");

const tooLarge = () => problemError("body_too_large", `The body has more than ${MAX_BODY_BYTES} bytes.`);
