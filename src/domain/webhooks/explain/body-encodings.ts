import { Buffer } from "../buffer.ts";
import { decodeEscapes, decodePercent, removeLastLineEnd } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";

/** Decodes UTF-16, found by its byte order mark or by the zero bytes of ASCII characters; null for other bytes. */
export function decodeUtf16({ bytes }: ParsedBody): string | null {
  if (bytes.length < 4 || bytes.length % 2 === 1) return null;
  const isBig = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[2] === 0);
  const isLittle = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[1] === 0 && bytes[3] === 0);
  if (isBig === isLittle) return null;
  const text = (isBig ? Buffer.from(bytes).swap16() : bytes).toString("utf16le");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Percent encoding of the whole text, with spaces as `%20` or as plus signs. */
export function decodePercentBody({ text }: ParsedBody): string | null {
  const encoded = removeLastLineEnd(text ?? "");
  return /[\s{}"<>]/.test(encoded) ? null : decodePercent(encoded.replaceAll("+", " "));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;

export const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const ENTITY_NAMES = new Map(
  Object.entries({ ...ENTITIES, "#039": "'" }).map(([name, text]) => [text, name]),
);

export const encodeEntities = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&${ENTITY_NAMES.get(character)};`);

/** Bytes as Python prints them: `b'…'`; also with the octal escapes of C. */
export function undoBytesRepr({ text }: Pick<ParsedBody, "text">): Buffer | null {
  const printed = removeLastLineEnd(text ?? "");
  return /^b(["'])[\0-\x7f]*\1$/.test(printed) ? decodeEscapes(printed.slice(2, -1)) : null;
}

/**
 * What differs from JSON in a literal of Python, Ruby or JavaScript: strings in single quotes, names without quotes, `=>`,
 * other words, and white space. A string without its end is one piece too: otherwise each later quote would start a search
 * to the end of the text.
 */
const LITERAL_PIECE =
  /b?'([^'\\]*(?:\\.[^'\\]*)*)(?:'|\\?$)|`([^`\\]*(?:\\.[^`\\]*)*)(?:`|\\?$)|b"[^"\\]*(?:\\.[^"\\]*)*"|"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|(?<![\w$])([A-Za-z_$][\w$]*)(?=:)|=>|\b(?:None|nil|True|False)\b|\s+/gs;
const JSON_WORDS: Readonly<Record<string, string>> = {
  "=>": ":",
  None: "null",
  nil: "null",
  True: "true",
  False: "false",
};

/** The text of a string literal of Python or JavaScript, in which \xe9 is a character. */
export const unescapeLiteral = (text: string): string =>
  decodeEscapes(text.replace(/(?<!\\)((?:\\\\)*)\\x(?=[89a-f])/gi, "$1\\u00")).toString();

/** A dict of Python, a hash of Ruby or an object of Node, as these print it, as compact JSON. */
export function literalToJson(literal: string): string | null {
  if (!/^[{[]\s*(?:'|"[^"]*"\s?=>|[A-Za-z_$][\w$]*:)/.test(literal)) return null;
  return literal.replace(LITERAL_PIECE, (piece, single?: string, template?: string, name?: string) => {
    // Bytes of Python. What is not UTF-8 is lost.
    if (/^b["']/.test(piece)) return JSON.stringify(undoBytesRepr({ text: piece })?.toString() ?? "");
    const text = single ?? template;
    if (text !== undefined) return JSON.stringify(unescapeLiteral(text));
    return name === undefined ? (JSON_WORDS[piece] ?? piece.trim()) : `"${name}"`;
  });
}

export const undoLiteral = ({ text, json }: ParsedBody): string | null =>
  json === undefined && text !== null ? literalToJson(text) : null;

const LATIN1 = Buffer.from(Array.from({ length: 128 }, (_, index) => 0x80 + index)).toString("latin1");

/** Character sets with one byte for each character: their characters from 0x80 on. Below, they are ASCII. */
const CHARSETS = {
  "Latin-1": LATIN1,
  "windows-1252": `\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178${LATIN1.slice(32)}`,
  macintosh:
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ",
};

/** Undoes reading UTF-8 in another character set and encoding its characters as UTF-8 again. */
export const undoCharset =
  (charset: keyof typeof CHARSETS, times = 1) =>
  ({ bytes, text }: Pick<ParsedBody, "bytes" | "text">): Buffer | null => {
    if (text === null || text.length === bytes.length) return null;
    const decoded = encode(charset, text);
    const read = decoded?.toString("utf8") ?? "\ufffd";
    // What was UTF-8 before is UTF-8 after the undo.
    if (decoded === null || read.includes("\ufffd")) return null;
    return times === 1 ? decoded : undoCharset(charset, times - 1)({ bytes: decoded, text: read });
  };

/** Null for a text with other characters. */
function encode(charset: keyof typeof CHARSETS, text: string): Buffer | null {
  let isComplete = true;
  const units = text.replace(/[^\0-\x7f]/g, (character) => {
    const index = CHARSETS[charset].indexOf(character);
    isComplete &&= index >= 0;
    return String.fromCharCode(0x80 + index);
  });
  return isComplete ? Buffer.from(units, "latin1") : null;
}
