import { Buffer } from "../buffer.ts";
import { orNull } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";
import { memoize } from "./variants.ts";

/** Labels of the Encoding standard of character sets with one byte for each character. */
export const CHARSETS = ["windows-1252", "macintosh"];

/** The characters from 0x80 to 0x9f: Node 20 decodes windows-1252 as Latin-1. */
const WINDOWS_1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

const tables = new Map(CHARSETS.map((charset) => [charset, memoize(() => readTable(charset))] as const));

/** The byte of each character; null without a decoder, as in the jsdom environment of jest. */
const readTable = (charset: string): ReadonlyMap<string, number> | null =>
  orNull(() => {
    const decoder = new TextDecoder(charset);
    const decode = (byte: number): string =>
      charset === "windows-1252"
        ? WINDOWS_1252.charAt(byte - 0x80) || String.fromCharCode(byte)
        : decoder.decode(Uint8Array.of(byte));
    return new Map(Array.from({ length: 256 }, (_, byte) => [decode(byte), byte] as const));
  });

/** Undoes reading UTF-8 in another character set and encoding its characters as UTF-8 again. */
export const undoCharset =
  (charset: string, times = 1) =>
  ({ bytes, text }: Pick<ParsedBody, "bytes" | "text">): Buffer | null => {
    if (text === null || text.length === bytes.length) return null;
    const decoded = encode(charset, text);
    const read = decoded?.toString("utf8") ?? "\ufffd";
    // What was UTF-8 before is UTF-8 after the undo.
    if (decoded === null || read.includes("\ufffd")) return null;
    return times === 1 ? decoded : undoCharset(charset, times - 1)({ bytes: decoded, text: read });
  };

function encode(charset: string, text: string): Buffer | null {
  if (charset === "latin1") return /[^\0-\xff]/.test(text) ? null : Buffer.from(text, "latin1");
  const table = tables.get(charset)?.();
  if (!table) return null;
  const encoded = Buffer.allocUnsafe(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const byte = table.get(text.charAt(at));
    if (byte === undefined) return null;
    encoded[at] = byte;
  }
  return encoded;
}
