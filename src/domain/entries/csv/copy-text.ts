import { Buffer } from "node:buffer";

/** V8 copies shorter slices. A longer slice refers to the whole chunk that it was cut from and keeps it in memory. */
const MIN_SLICED_LENGTH = 13;

/** Copies a text that outlives its chunk. */
export const copyText = (text: string): string =>
  text.length < MIN_SLICED_LENGTH ? text : Buffer.from(text, "utf8").toString("utf8");
