import { Buffer, isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { ByteCollector } from "../../src/domain/byte-collector.ts";
import { type ProblemError, problemError } from "./problem-error.ts";

/** Of a body that is not a file (product.md §5). */
const MAX_BODY_BYTES = 1024 * 1024;

export interface ChunkObserver {
  append(chunk: Buffer): void;
}

/** Reads a body of at most 1 MiB as text, and decodes its Content-Encoding (RFC 9110 §8.4.1). Empty when no byte arrived. */
export async function readText(req: IncomingMessage, observer?: ChunkObserver): Promise<string> {
  const bytes = await readBytes(req, observer);
  if (bytes.length === 0) return "";
  const text = await decodeContent(bytes, parseContentEncoding(req));
  // JSON and forms are UTF-8 (RFC 8259 §8.1); a replacement character would store what the caller did not send.
  if (isUtf8(text)) return text.toString();
  throw problemError("malformed_request", "The body is not UTF-8.");
}

/**
 * koa-body reads JSON and forms alike, as bytes: its parsers would hide bytes that are not UTF-8, and a name that occurs
 * twice. It gets what arrived, because it never ends when a compressed body is cut off, and the request log needs every byte.
 * Multipart forms have another reader: with `multipart`, koa-body 8.0.1 ends the process on a text part with
 * `Content-Transfer-Encoding: 8bit`.
 */
async function decodeContent(bytes: Buffer, encoding: string): Promise<Buffer> {
  // Lazy, because it takes longer to load than Koa.
  const { koaBody } = await import("koa-body");
  // It would decode either of the two by its first byte (RFC 1952 §2.3.1).
  if (["gzip", "deflate"].includes(encoding) && (encoding === "gzip") !== (bytes[0] === 0x1f))
    throw corruptBody(encoding);
  const req = Object.assign(Readable.from([bytes]), { headers: { "content-encoding": encoding } });
  const ctx = { method: "POST", is: () => true, req, request: { body: "" } };
  const read = koaBody({
    ...{ json: false, urlencoded: false, multipart: false, text: true },
    ...{ textLimit: MAX_BODY_BYTES, encoding: "binary" },
  });
  try {
    await read(ctx as never, async () => undefined);
  } catch (error) {
    const { status } = error as { readonly status?: number };
    if (status === 413) throw tooLarge();
    if (status !== 415) throw corruptBody(encoding);
    const detail = `Content-Encoding ${encoding} is not one of gzip, deflate, br.`;
    throw problemError("unsupported_media_type", detail);
  }
  return Buffer.from(ctx.request.body, "latin1");
}

const corruptBody = (encoding: string): ProblemError =>
  problemError("malformed_request", `The body is corrupt or truncated: it is not valid ${encoding}.`);

/** Lower-case; `identity` where the header is missing. */
export const parseContentEncoding = ({ headers }: IncomingMessage): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads a body of at most 1 MiB without decoding it. */
export async function readBytes(req: IncomingMessage, observer?: ChunkObserver): Promise<Buffer> {
  const body = new ByteCollector();
  for await (const chunk of readChunks(req, observer)) {
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
    if (!req.destroyed || req.complete) throw error;
    throw problemError("malformed_request", "The body ended too early.");
  }
}

const tooLarge = () => problemError("body_too_large", `The body has more than ${MAX_BODY_BYTES} bytes.`);
