import { Buffer } from "../buffer.ts";
import { whereText } from "./body-fault.ts";
import { decodeEscapes, decodePercent, readBufferJson, removeLastLineEnd } from "./encodings.ts";
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

export const encodeUtf16 = ({ text }: ParsedBody): Buffer | null =>
  text === null ? null : Buffer.from(text, "utf16le");

/** Percent encoding of the whole text, with spaces as `%20` or as plus signs. */
export const decodePercentBody =
  (isPlusSpace: boolean) =>
  ({ text }: ParsedBody): string | null => {
    if (text === null) return null;
    const encoded = removeLastLineEnd(text);
    if (/[\s{}"<>]/.test(encoded) || (isPlusSpace && !encoded.includes("+"))) return null;
    return decodePercent(isPlusSpace ? encoded.replaceAll("+", " ") : encoded);
  };

export const encodePercent = ({ text }: ParsedBody): string | null =>
  text === null ? null : encodeURIComponent(text);

/** Undoes a decoder of plus signs, which leaves none. */
export const encodeSpaces = ({ text }: ParsedBody): string | null =>
  text?.includes(" ") && !text.includes("+") ? text.replaceAll(" ", "+") : null;

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;

export function decodeEntities({ text }: ParsedBody): string | null {
  if (!text?.includes("&")) return null;
  const decoded = decodeEntitiesOf(text);
  return decoded === text ? null : decoded;
}

export const decodeEntitiesOf = (text: string): string =>
  text.replace(ENTITY, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const ENTITY_NAMES = new Map(
  Object.entries({ ...ENTITIES, "#039": "'" }).map(([name, text]) => [text, name]),
);

export const encodeEntities = whereText(/[&<>"']/, (text) =>
  text.replace(/[&<>"']/g, (character) => `&${ENTITY_NAMES.get(character)};`),
);

export const normalize =
  (form: "NFC" | "NFD") =>
  ({ bytes, text }: ParsedBody): string | null => {
    if (text === null || text.length === bytes.length) return null;
    const normalized = text.normalize(form);
    return normalized === text ? null : normalized;
  };

export const undoSmartQuotes = whereText(/[\u201c\u201d\u201e\u2018\u2019]/, (text) =>
  text.replace(/[\u201c\u201d\u201e]/g, '"').replace(/[\u2018\u2019]/g, "'"),
);

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
  json === null && text !== null ? literalToJson(text) : null;

/** A string, or a number with an exponent, in JSON. A run of digits is tried only from its first. */
const EXPONENT_PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.])-?\d+(?:\.\d+)?[eE][+-]?\d{1,2}(?!\d)/gs;

/** JSON in which numbers with an exponent are printed without one: 1.0E7, as Java prints doubles, becomes 10000000. */
export const undoExponents = ({ text, json }: ParsedBody): string | null =>
  json !== null && text !== null && /\d[eE][+-]?\d/.test(text)
    ? text.replace(EXPONENT_PIECE, (piece) => (piece.startsWith('"') ? piece : movePoint(piece)))
    : null;

/** All digits stay: a number of JavaScript has 17 of them, and an exponent from 1e21 on. */
function movePoint(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE](.+)$/.exec(number) ?? [];
  const point = whole.length + Number(exponent);
  const at = Math.max(point, 1);
  const digits = "0".repeat(at - point) + (whole + fraction).padEnd(point, "0");
  return sign + `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/^0+(?=\d)|\.?0*$/g, "");
}

export const undoBufferJson = ({ json }: ParsedBody): Buffer | null => readBufferJson(json?.value);
