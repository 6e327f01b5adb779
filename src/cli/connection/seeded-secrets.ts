import { createHash } from "node:crypto";

/**
 * The secrets of every sandbox that is given no seed of its own (product.md §5), as the first 16 hex digits of their
 * SHA-256. Such a sandbox listens on loopback alone: beyond it, credentials are random.
 */
const SEEDED_SECRET_HASHES: ReadonlySet<string> = new Set([
  "b44688a2c283ba10",
  "883162c7a16d1e35",
  "189f491964b94935",
  "567a0b5725cf9728",
  "c156cec0fc73529d",
]);

/** Whether a secret is one that every sandbox on anybody's machine has, also while none is up. */
export const isSeededSecret = (secret: string): boolean =>
  SEEDED_SECRET_HASHES.has(createHash("sha256").update(secret).digest("hex").slice(0, 16));
