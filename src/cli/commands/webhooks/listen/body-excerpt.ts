import type { Buffer } from "node:buffer";

const MAX_EXCERPT_BYTES = 1_024;

/** The beginning of a response body as text; U+FFFD replaces invalid characters. */
export const bodyExcerpt = (body: Buffer): string =>
  body.subarray(0, MAX_EXCERPT_BYTES).toString("utf8").trimEnd();
