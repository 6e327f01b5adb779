import type { Buffer } from "node:buffer";

/** Bytes of an answer that are shown. */
const MOST_SHOWN = 1_024;

/** The beginning of an answer's body as text; a character that is cut in two, or is none, is U+FFFD. */
export const shownText = (body: Buffer): string => body.subarray(0, MOST_SHOWN).toString("utf8").trimEnd();
