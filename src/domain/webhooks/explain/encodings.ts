import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";

/** Decodes base64 of either alphabet; null for other or shorter text. */
export function decodeBase64(text: string): Buffer | null {
  const end = text.search(/[^A-Za-z0-9+/_-]/);
  const isBase64 = end === -1 || (end > 0 && /^={1,2}$/.test(text.slice(end)));
  return isBase64 && text.length >= 4 ? Buffer.from(text, "base64") : null;
}

export const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text !== "" && !/[^0-9a-f]/i.test(text) ? Buffer.from(text, "hex") : null;

/** What a decoder returns; null for text or bytes that it refuses. */
export function orNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Null for text without percent encoding, and for a corrupted one. */
export const decodePercent = (text: string): string | null =>
  /%[0-9A-Fa-f]{2}/.test(text) ? orNull(() => decodeURIComponent(text)) : null;

/** The text without its last line end, which printing or saving it adds. */
export const removeLastLineEnd = (text: string): string => text.replace(/\r?\n$/, "");

/** The bytes of a Buffer, as JSON.stringify prints it in Node; null for another value. */
export function readBufferJson(value: unknown): Buffer | null {
  return isRecord(value) && value.type === "Buffer" ? toBuffer(value.data) : null;
}

/** The bytes that a list has as numbers; null for another value. */
export function toBuffer(list: unknown): Buffer | null {
  const isByte = (each: unknown) => Number.isInteger(each) && Number(each) >= 0 && Number(each) <= 255;
  return Array.isArray(list) && list.every(isByte) ? Buffer.from(list) : null;
}

/**
 * Escapes of C, Python, Perl, Go, JavaScript, bash and properties files. A byte is written as a byte, and a code unit as a
 * character. Escapes of quotes, slashes and backslashes are read many at once.
 */
const ESCAPE =
  /\\(?:x([0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{2}\})|([0-7]{3})|u([0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})*)|U([0-9A-Fa-f]{8})|(['"\\/](?:\\['"\\/]){0,999}|[\s\S]))/g;
const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\x07",
  e: "\x1b",
  E: "\x1b",
  "0": "\0",
};

/** A character for each byte: a buffer for each escape would take seconds. */
const toBytes = (text: string): string => Buffer.from(text).toString("latin1");

/** The bytes of a literal with escapes. */
export const decodeEscapes = (text: string): Buffer =>
  Buffer.from(
    toBytes(text).replace(
      ESCAPE,
      (_, hex?: string, octal?: string, units?: string, long?: string, other = "") => {
        if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex.replace("{", ""), 16));
        if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
        if (long !== undefined)
          return toBytes(String.fromCodePoint(Math.min(Number.parseInt(long, 16), 0x10ffff)));
        if (units === undefined)
          return ESCAPED_CHARACTERS[other] ?? `\\${other}`.replace(/\\([\s\S])/g, "$1");
        return toBytes(Buffer.from(units.replaceAll("\\u", ""), "hex").swap16().toString("utf16le"));
      },
    ),
    "latin1",
  );
