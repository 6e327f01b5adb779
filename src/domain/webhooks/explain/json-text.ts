import { isRecord, parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type FloatForm, printFloats } from "./float-forms.ts";
import { BYTE, isClosing, isOpening, JsonTokens } from "./json-tokens.ts";
import { memoize } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

export interface JsonStyle {
  /** After a comma and a colon; with an indent, after a colon only. */
  readonly space: "" | " ";
  readonly indent?: string | undefined;
  readonly strings: StringStyle;
}

type StringStyle = "javascript" | "python" | "php" | "go";

/** Valid JSON without white space. Strings are printed by JSON.stringify; numbers and the order of keys stay. */
function compactJson(json: Buffer): Buffer {
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

/** What the printers of other languages escape; these characters occur only in strings. */
const ESCAPED: Readonly<Record<StringStyle, RegExp>> = {
  javascript: /(?!)/g,
  // json.dumps, ensure_ascii: everything but ASCII from space to tilde.
  python: /[\x7f-\uffff]/g,
  php: /[/\x80-\uffff]/g,
  // json.Marshal makes strings safe for HTML.
  go: /[<>&\u2028\u2029]/g,
};

const escapeUnit = (unit: string): string =>
  unit === "/" ? "\\/" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Compact JSON with its strings escaped as in another language. */
const writeStrings = (compact: Buffer, style: StringStyle): Buffer =>
  Buffer.from(compact.toString().replace(ESCAPED[style], escapeUnit));

/** Nesting levels up to which JSON is indented: the size of indents grows with the square of the depth. */
const MAX_INDENTED_DEPTH = 64;

/** Indented JSON can be this many times as long as compact JSON, or have this many bytes. */
const MAX_GROWTH = 4;
const ALWAYS_ALLOWED_BYTES = 16 << 10;

/** Whether an indenting printer breaks the line between two tokens, given their first bytes. */
const startsLine = (previous: number, first: number): boolean =>
  isClosing(first) ? !isOpening(previous) : isOpening(previous) || previous === BYTE.comma;

/** Compact JSON in a style; null if it nests too deep or gets too long. */
function insertWhitespace(compact: Buffer, { space, indent }: JsonStyle): Buffer | null {
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
function sortKeys(compact: Buffer): Buffer {
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

/** Nesting levels up to which a value is printed: JSON.stringify recurses, and the stack is finite. */
const MAX_PRINTED_DEPTH = 500;

/** Sorting copies each byte once for each level. */
const MAX_SORTED_DEPTH = 32;

/** JSON exactly as sent. Its printed forms are made on first use and within the budget; null if that exceeds a bound. */
export interface JsonText {
  readonly value: unknown;
  readonly stringify: () => string | null;
  readonly print: (style: JsonStyle) => Buffer | null;
  /** The exact bytes of a field of the outermost object; null without such a field. */
  readonly readRawField: (name: string) => Buffer | null;
  /** The same JSON, compact and with the keys of each record sorted. */
  readonly sortKeys: () => JsonText | null;
  /** The same JSON as after parsing its numbers into doubles; null if it has no number that changes. */
  readonly printFloats: (form: FloatForm) => JsonText | null;
}

/** Null if the text is not JSON, or parsing it exceeds the budget. */
function readJson(bytes: Buffer, text: string, work: WorkBudget): JsonText | null {
  if (!/^[ \t\r\n]*[-\d"[{tfn]/.test(text) || !work.trySpend(bytes.length * COST.byteRead)) return null;
  const size = measureJson(bytes);
  if (!work.trySpend(size.valueCost)) return null;
  const value = parseJsonText(text);
  if (value === undefined) return null;
  const stringify = memoize(() => {
    if (size.depth <= MAX_PRINTED_DEPTH) return work.trySpend(size.valueCost) ? JSON.stringify(value) : null;
    work.markIncomplete();
    return null;
  });
  return {
    value,
    stringify,
    print: createPrinter(bytes, size.escapesCost, work),
    readRawField(name) {
      if (!isRecord(value) || !Object.hasOwn(value, name)) return null;
      return work.trySpend(size.tokens * COST.jsonToken + size.escapesCost)
        ? findRawField(bytes, name)
        : null;
    },
    sortKeys: memoize(() => {
      if (size.keys === 0) return null;
      if (size.depth > MAX_SORTED_DEPTH) {
        work.markIncomplete();
        return null;
      }
      if (!work.trySpend(size.valueCost + bytes.length * size.depth)) return null;
      const sorted = sortKeys(compactJson(bytes));
      return readJson(sorted, sorted.toString(), work);
    }),
    printFloats(form) {
      if (!work.trySpend(size.valueCost)) return null;
      const printed = printFloats(text, form);
      return printed === text ? null : readJson(Buffer.from(printed), printed, work);
    },
  };
}

function measureJson(bytes: Buffer) {
  const tokens = new JsonTokens(bytes);
  const count = { tokens: 0, containers: 0, keys: 0, escapedStrings: 0 };
  let depth = 0;
  while (tokens.next()) {
    count.tokens += 1;
    if (tokens.hasEscape) count.escapedStrings += 1;
    if (tokens.first === BYTE.colon) count.keys += 1;
    if (isOpening(tokens.first)) count.containers += 1;
    depth = Math.max(depth, tokens.depth);
  }
  return {
    tokens: count.tokens,
    keys: count.keys,
    depth,
    valueCost:
      count.tokens * COST.jsonToken + count.containers * COST.jsonContainer + count.keys * COST.jsonKey,
    escapesCost: count.escapedStrings * COST.jsonEscapedString,
  };
}

function createPrinter(bytes: Buffer, escapesCost: number, work: WorkBudget): JsonText["print"] {
  const written = new Map<StringStyle, Buffer | null>();
  const compact = memoize(() =>
    work.trySpend(bytes.length * COST.bytePrinted + escapesCost) ? compactJson(bytes) : null,
  );
  const rewrite = (style: StringStyle): Buffer | null => {
    const json = compact();
    if (json === null || !work.trySpend(json.length * COST.byteRead)) return null;
    const result = writeStrings(json, style);
    work.charge(result.length * COST.bytePrinted + (result.length - json.length) * COST.byteEscaped);
    return result;
  };
  return (style) => {
    if (!written.has(style.strings))
      written.set(style.strings, style.strings === "javascript" ? compact() : rewrite(style.strings));
    const strings = written.get(style.strings) ?? null;
    if (strings === null || !work.trySpend(strings.length * COST.bytePrinted)) return null;
    const printed = insertWhitespace(strings, style);
    if (printed === null) work.markIncomplete();
    else work.charge((printed.length - strings.length) * COST.bytePrinted);
    return printed;
  };
}

function findRawField(bytes: Buffer, name: string): Buffer | null {
  const tokens = new JsonTokens(bytes);
  while (tokens.next()) {
    const { depth, first, start, end, hasEscape } = tokens;
    const isCandidate = depth === 1 && first === BYTE.quote && (hasEscape || end - start === name.length + 2);
    if (!isCandidate || JSON.parse(bytes.toString("utf8", start, end)) !== name) continue;
    tokens.next();
    if (tokens.first === BYTE.colon) return readValue(bytes, tokens);
  }
  return null;
}

function readValue(bytes: Buffer, tokens: JsonTokens): Buffer {
  const { depth } = tokens;
  tokens.next();
  const { start } = tokens;
  while (tokens.depth > depth) tokens.next();
  return bytes.subarray(start, tokens.end);
}

/** A body that is decoded and parsed when a fault needs it, within the budget. */
export class ParsedBody {
  readonly bytes: Buffer;
  readonly #text: () => string | null;
  readonly #json: () => JsonText | null;

  constructor(received: Uint8Array, work: WorkBudget) {
    const bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
    this.bytes = bytes;
    this.#text = memoize(() => (work.trySpend(bytes.length * COST.byteRead) ? decodeUtf8(bytes) : null));
    this.#json = memoize(() => (this.text === null ? null : readJson(bytes, this.text, work)));
  }

  /** Null unless the bytes are UTF-8. */
  get text(): string | null {
    return this.#text();
  }

  /** Null unless the text is JSON. */
  get json(): JsonText | null {
    return this.#json();
  }
}

// Not a fatal TextDecoder: jest's jsdom has none.
function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}
