import { createHmac, hash } from "node:crypto";
import { Buffer } from "./buffer.ts";

/** Bytes of a block of SHA-256, and of a padded key (RFC 2104 §2). */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** Longer messages are not copied: for them the objects of `createHmac` cost nothing. */
const MAX_COPIED_BYTES = 64 << 10;

/** Each UTF-16 code unit of a string has at most 3 bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

// The padded key, and after it the message or the digest of that; reused. Two calls of `hash` take half of the time of
// `createHmac`, which makes objects for each message.
const inner = Buffer.alloc(BLOCK_BYTES + MAX_COPIED_BYTES);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
let writtenKey: string | null = null;

/** A string stands for its UTF-8. */
export type Bytes = string | Uint8Array;

/** Lowercase hex HMAC-SHA256 of the joined parts (RFC 2104). */
export function hmacSha256(key: Bytes, parts: readonly Bytes[]): string {
  if (parts.reduce((sum, part) => sum + maxBytes(part), 0) > MAX_COPIED_BYTES) {
    const hmac = createHmac("sha256", key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }
  if (typeof key !== "string" || key !== writtenKey) writeKey(key);
  let length = BLOCK_BYTES;
  for (const part of parts) length += write(part, length);
  outer.write(hash("sha256", inner.subarray(0, length), "binary"), BLOCK_BYTES, "latin1");
  return hash("sha256", outer, "hex");
}

const maxBytes = (part: Bytes): number =>
  typeof part === "string" ? part.length * MAX_BYTES_PER_UNIT : part.byteLength;

function write(part: Bytes, at: number): number {
  if (typeof part === "string") return part === "" ? 0 : inner.write(part, at);
  const isBytes = part.BYTES_PER_ELEMENT === 1;
  inner.set(isBytes ? part : new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
  return part.byteLength;
}

/** Writes the key, combined with each of the two pads, into the first blocks; for a long key its digest. */
function writeKey(key: Bytes): void {
  // Bytes can change.
  writtenKey = typeof key === "string" ? key : null;
  const isLong = Buffer.byteLength(key) > BLOCK_BYTES;
  const length = isLong ? inner.write(hash("sha256", key, "binary"), "latin1") : write(key, 0);
  inner.fill(0, length, BLOCK_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = inner[at] as number;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
}
