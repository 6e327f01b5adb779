import type { Buffer } from "node:buffer";

/** Bytes of an answer that are shown. */
const MAX_EXCERPT_BYTES = 1_024;

/** The beginning of an answer's body as text; a character that is cut in two, or is none, is U+FFFD. */
export const bodyExcerpt = (body: Buffer): string =>
  body.subarray(0, MAX_EXCERPT_BYTES).toString("utf8").trimEnd();
