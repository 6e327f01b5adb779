import { Buffer } from "node:buffer";
import { Gunzip, Inflate, Unzlib } from "fflate";
import type { Decompress } from "../../../domain/webhooks/explain/compression.ts";

const DECODERS = { gzip: Gunzip, deflate: Unzlib, "deflate-raw": Inflate };

/** Bounds the memory: deflate makes at most 1,032 bytes of one. */
const SLICE_BYTES = 4_096;

/**
 * Decompresses what node:zlib decompresses. It accepts some bytes that node:zlib refuses, because it does not compare the
 * checksum: the signature shows whether the result is what was signed. A browser has no brotli.
 */
export const decompress: Decompress = (bytes, compression, maxBytes) => {
  if (compression === "br") throw new TypeError("no decoder of brotli");
  const pieces: Uint8Array[] = [];
  let length = 0;
  const decoder = new DECODERS[compression]((piece) => {
    length += piece.length;
    if (length > maxBytes) throw new RangeError("too many bytes");
    pieces.push(piece);
  });
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    decoder.push(bytes.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= bytes.length);
  return Buffer.concat(pieces);
};
