import { Buffer } from "node:buffer";

/** V8 copies shorter slices; a longer one is a view that keeps the whole decoded chunk alive. */
const MIN_SLICED_LENGTH = 13;

/** The same text in memory of its own: for whatever outlives the chunk it was cut from. */
export function copyText(text: string): string {
  return text.length < MIN_SLICED_LENGTH ? text : Buffer.from(text, "utf8").toString("utf8");
}
