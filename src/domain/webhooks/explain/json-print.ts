import { Buffer } from "../buffer.ts";
import { BYTE, isClosing, isOpening, isSpace } from "./json-tokens.ts";

/** How a printer lays JSON out, and how it writes the characters of strings. */
export interface JsonStyle {
  /** After a comma and a colon; where there is an indent, after a colon alone. */
  readonly space: "" | " ";
  readonly indent?: string;
  readonly strings: StringStyle;
}

export type StringStyle = "javascript" | "python" | "php" | "phpUnicode" | "go";

/** Valid JSON as another printer would have written it; its numbers stay as they are. Null where it is out of bounds. */
export function printJson(json: Uint8Array, style: JsonStyle): Buffer | null {
  const compact = writeStrings(compactJson(json), style.strings);
  const bytes = countPrintedBytes(compact, measureStructure(compact), style);
  return bytes === null ? null : insertWhitespace(compact, style, bytes);
}

/** Valid JSON without white space, its strings as JSON.stringify writes them, its numbers and keys as they stand. */
export function compactJson(json: Uint8Array): Buffer {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const compact = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at++] as number;
    if (isSpace(byte)) continue;
    const written = length;
    compact[length++] = byte;
    if (byte !== BYTE.quote) continue;
    const start = at - 1;
    let hasEscape = false;
    while (at < bytes.length && bytes[at] !== BYTE.quote) {
      if (bytes[at] === BYTE.backslash) {
        hasEscape = true;
        compact[length++] = bytes[at++] as number;
      }
      compact[length++] = bytes[at++] as number;
    }
    compact[length++] = bytes[at++] as number;
    // Without an escape it is what JSON.stringify writes; with one, JSON.stringify writes nothing longer.
    if (hasEscape)
      length =
        written + compact.write(JSON.stringify(JSON.parse(bytes.toString("utf8", start, at))), written);
  }
  return compact.subarray(0, length);
}

/** Compact JSON with its strings as printers of another language write them: these characters are in strings alone. */
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

/** json.Marshal makes its strings safe for HTML. */
const HTML: ReadonlyMap<number, string> = new Map([
  [0x3c, "\\u003c"],
  [0x3e, "\\u003e"],
  [0x26, "\\u0026"],
]);

/** The longest escape of one byte or character, `\uXXXX`. */
const MAX_ESCAPE_LENGTH = 6;

/**
 * Escapes these bytes, and U+2028 and U+2029, which PHP leaves escaped with JSON_UNESCAPED_UNICODE too. A loop: a
 * pattern takes twenty times as long where every character is replaced.
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

/** Escapes every UTF-16 code unit from that one on. */
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

/** Levels up to which JSON is indented: what indents add grows with the square of the depth. */
const MAX_INDENTED_DEPTH = 64;

/** How many times as long as without white space an indented text may be; a short one may always have some length. */
const MAX_GROWTH = 4;
const ALWAYS_ALLOWED_BYTES = 16 << 10;

/** What decides how much white space is printed: the same for every way to write strings. */
export interface JsonStructure {
  readonly commas: number;
  readonly colons: number;
  readonly depth: number;
  /** How many lines begin at each level, up to the deepest that is indented. */
  readonly lines: readonly number[];
}

export function measureStructure(compact: Buffer): JsonStructure {
  const lines = new Array<number>(MAX_INDENTED_DEPTH + 1).fill(0);
  const structure = { commas: 0, colons: 0, depth: 0, lines };
  let depth = 0;
  const countLine = () => {
    if (depth <= MAX_INDENTED_DEPTH) lines[depth] = (lines[depth] ?? 0) + 1;
  };
  for (let at = 0; at < compact.length; at += 1) {
    const byte = compact[at] as number;
    if (byte === BYTE.quote) at = findStringEnd(compact, at);
    else if (byte === BYTE.colon) structure.colons += 1;
    else if (byte === BYTE.comma) {
      structure.commas += 1;
      countLine();
    } else if (isOpening(byte)) {
      depth += 1;
      structure.depth = Math.max(structure.depth, depth);
      if (!isClosing(compact[at + 1] as number)) countLine();
    } else if (isClosing(byte)) {
      depth -= 1;
      if (!isOpening(compact[at - 1] as number)) countLine();
    }
  }
  return structure;
}

/** Where the string that begins here has its last quote. */
function findStringEnd(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== BYTE.quote) at += json[at] === BYTE.backslash ? 2 : 1;
  return at;
}

/** How long compact JSON gets in a style; null where it nests too deep or gets too long. */
export function countPrintedBytes(
  compact: Buffer,
  { commas, colons, depth, lines }: JsonStructure,
  { space, indent }: Omit<JsonStyle, "strings">,
): number | null {
  if (indent === undefined) return compact.length + (commas + colons) * space.length;
  if (depth > MAX_INDENTED_DEPTH) return null;
  const bytes = lines.reduce(
    (sum, count, level) => sum + count * (1 + level * indent.length),
    compact.length + colons * space.length,
  );
  return bytes <= ALWAYS_ALLOWED_BYTES + MAX_GROWTH * compact.length ? bytes : null;
}

/** Compact JSON with white space between its tokens. */
export function insertWhitespace(
  compact: Buffer,
  { space, indent }: Omit<JsonStyle, "strings">,
  bytes: number,
): Buffer {
  if (bytes === compact.length) return compact;
  const printed = Buffer.allocUnsafe(bytes);
  let length = 0;
  let depth = 0;
  const breakLine = () => {
    if (indent === undefined) return;
    printed[length++] = BYTE.lineFeed;
    for (let left = depth * indent.length; left > 0; left -= 1) printed[length++] = indent.charCodeAt(0);
  };
  for (let at = 0; at < compact.length; at += 1) {
    const byte = compact[at] as number;
    if (isClosing(byte)) {
      depth -= 1;
      if (!isOpening(compact[at - 1] as number)) breakLine();
    }
    printed[length++] = byte;
    if (byte === BYTE.quote) {
      const end = findStringEnd(compact, at);
      while (at < end) printed[length++] = compact[++at] as number;
    } else if (isOpening(byte)) {
      depth += 1;
      if (!isClosing(compact[at + 1] as number)) breakLine();
    } else if (byte === BYTE.comma && indent !== undefined) breakLine();
    else if ((byte === BYTE.comma || byte === BYTE.colon) && space !== "") printed[length++] = BYTE.space;
  }
  return printed;
}
