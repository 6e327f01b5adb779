import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ByteCollector } from "../../src/domain/byte-collector.ts";
import { problemError } from "./problem-error.ts";

/** Of a body that is not a file (product.md §5). */
export const MAX_BODY_BYTES = 1024 * 1024;

export interface ChunkObserver {
  append(chunk: Buffer): void;
}

/** Lower-case; `identity` where the header is missing. */
export const parseContentEncoding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads a body of at most 1 MiB without decoding it. */
export async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const body = new ByteCollector();
  for await (const chunk of readChunks(req)) {
    if (body.length + chunk.length > MAX_BODY_BYTES) throw tooLarge();
    body.append(chunk);
  }
  return body.bytes();
}

/** Reads a body of any size. The request survives a reader that stops early, so that a refusal can be sent. */
export async function* readChunks(req: IncomingMessage, observer?: ChunkObserver): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      observer?.append(chunk);
      yield chunk;
    }
  } catch (error) {
    // A caller that disconnects is not an error of the sandbox.
    if (!req.destroyed) throw error;
    throw problemError("malformed_request", "The body ended too early.");
  }
}

export const tooLarge = () =>
  problemError("body_too_large", `The body has more than ${MAX_BODY_BYTES} bytes.`);
