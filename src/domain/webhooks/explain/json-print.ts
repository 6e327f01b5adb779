import { Buffer } from "../buffer.ts";
import { BYTE, isClosing, isOpening, JsonTokens } from "./json-tokens.ts";

export interface JsonStyle {
  /** After a comma and a colon; with an indent, after a colon only. */
  readonly space: "" | " ";
  readonly indent?: string | undefined;
  readonly strings: StringStyle;
}

export type StringStyle = "javascript" | "python" | "php" | "phpUnicode" | "go";

/** Valid JSON in the style of another printer, with its numbers unchanged. Null if it exceeds a bound. */
export function printJson(json: Buffer, style: JsonStyle): Buffer | null {
  return insertWhitespace(writeStrings(compactJson(json), style.strings), style);
}

/** Valid JSON without white space. Strings are printed by JSON.stringify; numbers and the order of keys stay. */
export function compactJson(json: Buffer): Buffer {
  const compact = Buffer.allocUnsafe(json.length);
  const tokens = new JsonTokens(json);
  let length = 0;
  while (tokens.next()) {
    const { start, end, hasEscape } = tokens;
    // A string without an escape is what JSON.stringify prints; with one, JSON.stringify prints nothing longer.
    if (hasEscape)
      length += compact.write(JSON.stringify(JSON.parse(json.toString("utf8", start, end))), length);
    else for (let at = start; at < end; at += 1) compact[length++] = json[at] as number;
  }
  return compact.subarray(0, length);
}

/** Compact JSON with its strings escaped as in another language: the escaped characters occur only in strings. */
export function writeStrings(compact: Buffer, style: StringStyle): Buffer {
  switch (style) {
    case "javascript":
      return compact;
    case "python":
      // json.dumps, ensure_ascii: everything but ASCII from space to tilde.
      return escapeCodeUnitsFrom(0x7f, compact);
    case "php":
      return escapeCodeUnitsFrom(0x80, escapeBytes(compact, SLASH));
    case "phpUnicode":
      return escapeBytes(compact, SLASH);
    case "go":
      return escapeBytes(compact, HTML);
  }
}

const SLASH: ReadonlyMap<number, string> = new Map([[0x2f, "\\/"]]);

/** json.Marshal makes strings safe for HTML. */
const HTML: ReadonlyMap<number, string> = new Map([
  [0x3c, "\\u003c"],
  [0x3e, "\\u003e"],
  [0x26, "\\u0026"],
]);

/** The longest escape of one byte or character, `\uXXXX`. */
const MAX_ESCAPE_LENGTH = 6;

/**
 * Escapes these bytes, and U+2028 and U+2029, which PHP escapes with JSON_UNESCAPED_UNICODE too. A loop: a pattern is
 * twenty times slower where it replaces every character.
 */
function escapeBytes(json: Buffer, escapes: ReadonlyMap<number, string>): Buffer {
  const escaped = Buffer.allocUnsafe(json.length * MAX_ESCAPE_LENGTH);
  let length = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    const isLineSeparator = byte === 0xe2 && json[at + 1] === 0x80 && ((json[at + 2] ?? 0) | 1) === 0xa9;
    if (isLineSeparator) {
      length += escaped.write(json[at + 2] === 0xa8 ? "\\u2028" : "\\u2029", length);
      at += 2;
      continue;
    }
    const replacement = escapes.get(byte);
    if (replacement === undefined) escaped[length++] = byte;
    else length += escaped.write(replacement, length);
  }
  return Buffer.from(escaped.subarray(0, length));
}

const HEX = Buffer.from("0123456789abcdef");

/** Escapes every UTF-16 code unit from `lowest` on. */
function escapeCodeUnitsFrom(lowest: number, json: Buffer): Buffer {
  const text = json.toString();
  const escaped = Buffer.allocUnsafe(text.length * MAX_ESCAPE_LENGTH);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < lowest) {
      escaped[length++] = unit;
      continue;
    }
    escaped[length++] = BYTE.backslash;
    escaped[length++] = 0x75;
    for (let shift = 12; shift >= 0; shift -= 4) escaped[length++] = HEX[(unit >> shift) & 0xf] as number;
  }
  return Buffer.from(escaped.subarray(0, length));
}

/** Nesting levels up to which JSON is indented: the size of indents grows with the square of the depth. */
const MAX_INDENTED_DEPTH = 64;

/** Indented JSON can be this many times as long as compact JSON, or have this many bytes. */
const MAX_GROWTH = 4;
const ALWAYS_ALLOWED_BYTES = 16 << 10;

/** Whether an indenting printer breaks the line between two tokens, given their first bytes. */
const startsLine = (previous: number, first: number): boolean =>
  isClosing(first) ? !isOpening(previous) : isOpening(previous) || previous === BYTE.comma;

/** Compact JSON in a style; null if it nests too deep or gets too long. */
export function insertWhitespace(compact: Buffer, { space, indent }: JsonStyle): Buffer | null {
  if (space === "" && indent === undefined) return compact;
  const printed = Buffer.allocUnsafe(ALWAYS_ALLOWED_BYTES + MAX_GROWTH * compact.length);
  const tokens = new JsonTokens(compact);
  let length = 0;
  let previous = 0;
  while (tokens.next()) {
    const { first, start, end, depth } = tokens;
    if (indent !== undefined && startsLine(previous, first)) {
      const level = isOpening(first) ? depth - 1 : depth;
      printed[length++] = BYTE.lineFeed;
      for (let left = level * indent.length; left > 0; left -= 1) printed[length++] = indent.charCodeAt(0);
    } else if (space !== "" && (previous === BYTE.comma || previous === BYTE.colon))
      printed[length++] = BYTE.space;
    for (let at = start; at < end; at += 1) printed[length++] = compact[at] as number;
    if (length > printed.length || (indent !== undefined && depth > MAX_INDENTED_DEPTH)) return null;
    previous = first;
  }
  return Buffer.from(printed.subarray(0, length));
}

/** Compact JSON with the keys of each record in the order of their code units. It must not nest deep: this recurses. */
export function sortKeys(compact: Buffer): Buffer {
  const tokens = new JsonTokens(compact);
  tokens.next();
  return Buffer.from(readSorted(compact, tokens), "latin1");
}

/** Reads the value that begins at the current token, and leaves its last token as the current one. */
function readSorted(json: Buffer, tokens: JsonTokens): string {
  const raw = () => json.toString("latin1", tokens.start, tokens.end);
  if (!isOpening(tokens.first)) return raw();
  const isRecord = tokens.first === BYTE.openRecord;
  const entries: [key: string, text: string][] = [];
  while (tokens.next() && !isClosing(tokens.first)) {
    if (tokens.first === BYTE.comma) continue;
    const name = isRecord ? raw() : "";
    if (isRecord) tokens.next();
    if (isRecord) tokens.next();
    const value = readSorted(json, tokens);
    entries.push([name, isRecord ? `${name}:${value}` : value]);
  }
  if (!isRecord) return `[${entries.map(([, text]) => text).join(",")}]`;
  entries.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return `{${entries.map(([, text]) => text).join(",")}}`;
}
