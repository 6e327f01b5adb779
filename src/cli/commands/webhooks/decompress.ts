import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { Decompress } from "../../../domain/webhooks/explain/compression.ts";

const DECODERS = {
  gzip: gunzipSync,
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
  br: brotliDecompressSync,
} as const;

/** Decompresses a body for `explain`, which runs without node:zlib. */
export const decompress: Decompress = (bytes, compression, maxBytes) =>
  DECODERS[compression](bytes, { maxOutputLength: maxBytes });
