import { isRecord, parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import {
  compactJson,
  insertWhitespace,
  type JsonStyle,
  type StringStyle,
  sortKeys,
  writeStrings,
} from "./json-print.ts";
import { BYTE, isOpening, JsonTokens } from "./json-tokens.ts";
import { memoize } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

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
  /** Counts the numbers without fraction and exponent. */
  readonly countWholeNumbers: () => number;
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
    countWholeNumbers: () => countWholeNumbers(bytes),
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
    work.charge(result.length * COST.bytePrinted);
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

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

function countWholeNumbers(bytes: Buffer): number {
  const tokens = new JsonTokens(bytes);
  let count = 0;
  while (tokens.next()) {
    const { first, start, end } = tokens;
    if (first !== BYTE.minus && !isDigit(first)) continue;
    if (bytes.subarray(start + 1, end).every(isDigit)) count += 1;
  }
  return count;
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
