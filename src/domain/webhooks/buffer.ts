import { createHash } from "node:crypto";

/**
 * Node's Buffer, taken from a digest. The signature module also runs in bundles that have only `node:crypto`: there the
 * global can be missing and `node:buffer` cannot be imported.
 */
export const Buffer = createHash("sha256").digest().constructor as typeof globalThis.Buffer;
export type Buffer = globalThis.Buffer;
