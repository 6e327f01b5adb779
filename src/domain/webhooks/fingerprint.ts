import { createHash } from "node:crypto";

/** Identifies a secret without revealing it: the first 8 hex digits of its SHA-256. */
export const fingerprint = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex").slice(0, 8);
