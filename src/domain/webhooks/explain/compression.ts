import { type HeaderList, headerValues } from "../../http-headers.ts";

export type Compression = "gzip" | "deflate" | "deflate-raw" | "br";

/**
 * Decompresses bytes; throws if they are not in that format or exceed `maxBytes`. An argument: this module needs nothing
 * but node:crypto.
 */
export type Decompress = (bytes: Uint8Array, compression: Compression, maxBytes: number) => Uint8Array;

export const MAX_DECOMPRESSED_BYTES = 4 << 20;

/** The compression that a body can have, from its first bytes (RFC 1952, RFC 1950) or Content-Encoding. */
export function detectCompression(bytes: Uint8Array, headers: HeaderList): Compression | null {
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return "gzip";
  if ((first & 0x8f) === 0x08 && (first * 256 + second) % 31 === 0) return "deflate";
  const [encoding = ""] = headerValues(headers, "content-encoding");
  const isJson = first === 0x7b || first === 0x5b;
  if (isJson || bytes.length === 0) return null;
  if (/^br$/i.test(encoding)) return "br";
  return /^deflate$/i.test(encoding) ? "deflate-raw" : null;
}
