import { StringDecoder } from "node:string_decoder";
import type { Chunks } from "./output.ts";

/**
 * What a terminal obeys, or what reorders or breaks a line: C0, DEL and C1 controls, the bidi controls of UAX #9 §2, and the
 * line and paragraph separators. A line end of two characters is one match.
 */
const UNSAFE_CHARACTERS = /\r\n|[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const isLayout = (match: string): boolean => match === "\n" || match === "\r\n" || match === "\t";

/** Text from elsewhere as one line that is harmless on a terminal: a middle dot stands for each unsafe character. */
export const sanitizeLine = (text: string): string =>
  text.replace(UNSAFE_CHARACTERS, (match) => "·".repeat(match.length));

/** The same for text of several lines: line ends and tabs stay. */
export const sanitizeText = (text: string): string =>
  text.replace(UNSAFE_CHARACTERS, (match) => (isLayout(match) ? match : "·"));

/** The same for JSON, whose value stays: the unsafe characters can only stand in strings, which have escapes for them. */
export const sanitizeJson = (json: string): string =>
  json.replace(UNSAFE_CHARACTERS, (match) => {
    if (isLayout(match)) return match;
    // White space between two tokens; on a terminal, it would let the next one overwrite the line.
    if (match === "\r") return "\n";
    return `\\u${match.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

/** Pieces of text, rewritten as they come; neither a character nor a line end is split between two of them. */
export async function* rewriteChunks(
  pieces: Chunks,
  rewrite: (text: string) => string,
): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + (typeof piece === "string" ? decoder.end() + piece : decoder.write(piece));
    rest = text.endsWith("\r") ? "\r" : "";
    yield rewrite(text.slice(0, text.length - rest.length));
  }
  yield rewrite(rest + decoder.end());
}
