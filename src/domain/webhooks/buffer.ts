import { createHash } from "node:crypto";

/**
 * Node's Buffer, by way of a digest. The signature module also runs where a bundle has nothing of Node but `node:crypto`:
 * there the global may be missing, and `node:buffer` may not be imported.
 */
export const Buffer = createHash("sha256").digest().constructor as typeof globalThis.Buffer;
export type Buffer = globalThis.Buffer;
