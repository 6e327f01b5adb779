import { StringDecoder } from "node:string_decoder";
import type { Chunks } from "../files/atomic-file.ts";

/**
 * Characters that control a terminal, or reorder, break or hide a line: C0, DEL and C1 controls, the bidi controls of UAX
 * #9 §2, line and paragraph separators, and characters without a width. CR LF is one match.
 */
const UNSAFE_CHARACTERS =
  /\r\n|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const isLayout = (match: string): boolean => match === "\n" || match === "\r\n" || match === "\t";

/** Replaces each unsafe character, line breaks too, by a middle dot. */
export const sanitizeLine = (text: string): string =>
  text.replace(UNSAFE_CHARACTERS, (match) => "·".repeat(match.length));

/** Keeps line breaks and tabs. */
export const sanitizeText = (text: string): string =>
  text.replace(UNSAFE_CHARACTERS, (match) => (isLayout(match) ? match : "·"));

/** Escapes unsafe characters in the strings of JSON, so that its value is unchanged. */
export const sanitizeJson = (json: string): string =>
  json.replace(UNSAFE_CHARACTERS, (match) => {
    if (isLayout(match)) return match;
    // White space between tokens. A terminal would overwrite the line.
    if (match === "\r") return "\n";
    return `\\u${match.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

/** Rewrites chunks of text without splitting a character or a CR LF. */
export async function* rewriteChunks(chunks: Chunks, rewrite: (text: string) => string) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const text = rest + (typeof chunk === "string" ? decoder.end() + chunk : decoder.write(chunk));
    rest = text.endsWith("\r") ? "\r" : "";
    yield rewrite(text.slice(0, text.length - rest.length));
  }
  yield rewrite(rest + decoder.end());
}
