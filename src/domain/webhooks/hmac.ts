import { createHmac, type Hash, type Hmac } from "node:crypto";

/** A string stands for its UTF-8. */
export type Bytes = string | Uint8Array;

/** Lowercase hex digest of the joined parts. */
export function digestParts(digest: Hash | Hmac, parts: readonly Bytes[]): string {
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** Lowercase hex HMAC-SHA256 of the joined parts (RFC 2104). */
export const hmacSha256 = (key: Bytes, parts: readonly Bytes[]): string =>
  digestParts(createHmac("sha256", key), parts);
