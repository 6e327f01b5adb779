import type { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { recognizeForeignFile } from "../../../../domain/entries/csv/file-kind.ts";
import { usageError } from "../../../../domain/errors.ts";
import type { Decompress } from "../../../../domain/webhooks/explain/compression.ts";
import { inputError } from "../../../../domain/webhooks/input-formats/delivery.ts";

const DECODERS = {
  gzip: gunzipSync,
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
  br: brotliDecompressSync,
} as const;

/** Decompresses a body for `explain`, which runs without node:zlib. */
export const decompress: Decompress = (bytes, compression, maxBytes) =>
  DECODERS[compression](bytes, { maxOutputLength: maxBytes });

/** What gzip may hold, decompressed. */
const MAX_BYTES = 256 << 20;

/** What a file of gzip holds, or the bytes of another file. @throws ClaimsError for archives and what is no text */
export function unpack(bytes: Buffer, name: string): Buffer {
  const kind = recognizeForeignFile(bytes.subarray(0, 512));
  if (kind === null || kind.startsWith("a PEM")) return bytes;
  if (kind === "a gzip archive") return unpack(gunzipFile(bytes, name), name);
  throw inputError(`${name} is ${kind}`, "unpack an archive and name its folder; save a sheet as CSV");
}

function gunzipFile(bytes: Buffer, name: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw usageError("input_too_large", `${name} holds more than ${MAX_BYTES >> 20} MiB`, {
        hint: "unpack it, and name the files that have the deliveries",
      });
    throw inputError(`${name} is damaged: it cannot be decompressed`, "copy it again from its source", error);
  }
}
