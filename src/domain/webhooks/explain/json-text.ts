import { isRecord } from "../../json.ts";
import type { Buffer } from "../buffer.ts";
import {
  compactJson,
  countPrintedBytes,
  insertWhitespace,
  type JsonStructure,
  type JsonStyle,
  measureStructure,
  type StringStyle,
  writeStrings,
} from "./json-print.ts";
import { BYTE, isOpening, JsonTokens } from "./json-tokens.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** Nesting levels up to which a value is printed: JSON.stringify recurses, and the stack is finite. */
const MAX_PRINTED_DEPTH = 500;

/** JSON exactly as sent. Each of its printed forms is made once, on first use and within the budget. */
export class JsonText {
  readonly bytes: Buffer;
  readonly value: unknown;
  readonly #size: JsonSize;
  readonly #work: WorkBudget;
  readonly #written = new Map<StringStyle, Buffer | null>();
  #stringified: string | null | undefined;
  #knownStructure: JsonStructure | null = null;

  constructor(bytes: Buffer, value: unknown, size: JsonSize, work: WorkBudget) {
    this.bytes = bytes;
    this.value = value;
    this.#size = size;
    this.#work = work;
  }

  /** The value printed by JSON.stringify; null if that exceeds a bound. */
  stringify(): string | null {
    if (this.#stringified === undefined)
      this.#stringified = this.#canStringify() ? JSON.stringify(this.value) : null;
    return this.#stringified;
  }

  #canStringify(): boolean {
    if (this.#size.depth <= MAX_PRINTED_DEPTH) return this.#work.trySpend(costOfValue(this.#size));
    this.#work.markIncomplete();
    return false;
  }

  /** The text in the style of another printer; null if that exceeds a bound. */
  print(style: JsonStyle): Buffer | null {
    const strings = this.#withStrings(style.strings);
    const structure = this.#structure();
    if (strings === null || structure === null) return null;
    const bytes = countPrintedBytes(strings, structure, style);
    if (bytes === null) this.#work.markIncomplete();
    return bytes !== null && this.#work.trySpend(bytes * COST.bytePrinted)
      ? insertWhitespace(strings, style, bytes)
      : null;
  }

  #structure(): JsonStructure | null {
    const compact = this.#withStrings("javascript");
    if (
      this.#knownStructure === null &&
      compact !== null &&
      this.#work.trySpend(compact.length * COST.byteRead)
    )
      this.#knownStructure = measureStructure(compact);
    return this.#knownStructure;
  }

  #withStrings(style: StringStyle): Buffer | null {
    const known = this.#written.get(style);
    if (known !== undefined) return known;
    const written = style === "javascript" ? this.#compact() : this.#rewrite(style);
    this.#written.set(style, written);
    return written;
  }

  #compact(): Buffer | null {
    const { escapedStrings } = this.#size;
    const cost = this.bytes.length * COST.bytePrinted + escapedStrings * COST.jsonEscapedString;
    return this.#work.trySpend(cost) ? compactJson(this.bytes) : null;
  }

  #rewrite(style: StringStyle): Buffer | null {
    const compact = this.#withStrings("javascript");
    if (compact === null || !this.#work.trySpend(compact.length * COST.byteRead)) return null;
    const written = writeStrings(compact, style);
    this.#work.charge(written.length * COST.bytePrinted);
    return written;
  }

  /** The exact bytes of a field of the outermost object; null without such a field. */
  readRawField(name: string): Buffer | null {
    if (!isRecord(this.value) || !Object.hasOwn(this.value, name)) return null;
    const { tokens: count, escapedStrings } = this.#size;
    if (!this.#work.trySpend(count * COST.jsonToken + escapedStrings * COST.jsonEscapedString)) return null;
    const tokens = new JsonTokens(this.bytes);
    while (tokens.next()) {
      if (tokens.depth !== 1 || tokens.first !== BYTE.quote || !this.#isString(tokens, name)) continue;
      tokens.next();
      if (tokens.first === BYTE.colon) return this.#readValue(tokens);
    }
    return null;
  }

  #isString({ start, end, hasEscape }: JsonTokens, text: string): boolean {
    const isCandidate = hasEscape || end - start === text.length + 2;
    return isCandidate && JSON.parse(this.bytes.toString("utf8", start, end)) === text;
  }

  /** The bytes of the value that follows. */
  #readValue(tokens: JsonTokens): Buffer {
    const { depth } = tokens;
    tokens.next();
    const { start } = tokens;
    while (tokens.depth > depth) tokens.next();
    return this.bytes.subarray(start, tokens.end);
  }

  /** Counts the numbers without fraction and exponent. */
  countWholeNumbers(): number {
    const tokens = new JsonTokens(this.bytes);
    let count = 0;
    while (tokens.next()) if (isWholeNumber(this.bytes, tokens)) count += 1;
    return count;
  }
}

/** What the cost of working on a text depends on. */
interface JsonSize {
  readonly tokens: number;
  readonly containers: number;
  readonly keys: number;
  readonly depth: number;
  readonly escapedStrings: number;
}

/** Null if the text is not JSON, or parsing it exceeds the budget. */
export function parseJsonText(bytes: Buffer, text: string, work: WorkBudget): JsonText | null {
  if (!/^[ \t\r\n]*[-\d"[{tfn]/.test(text) || !work.trySpend(bytes.length * COST.byteRead)) return null;
  const size = measureJson(bytes);
  if (!work.trySpend(costOfValue(size))) return null;
  try {
    return new JsonText(bytes, JSON.parse(text), size, work);
  } catch {
    return null;
  }
}

/** The cost of parsing a text, or of printing its value. */
const costOfValue = ({ tokens, containers, keys }: JsonSize): number =>
  tokens * COST.jsonToken + containers * COST.jsonContainer + keys * COST.jsonKey;

function measureJson(bytes: Buffer): JsonSize {
  const tokens = new JsonTokens(bytes);
  const size = { tokens: 0, containers: 0, keys: 0, depth: 0, escapedStrings: 0 };
  while (tokens.next()) {
    size.tokens += 1;
    if (tokens.hasEscape) size.escapedStrings += 1;
    if (tokens.first === BYTE.colon) size.keys += 1;
    if (isOpening(tokens.first)) size.containers += 1;
    size.depth = Math.max(size.depth, tokens.depth);
  }
  return size;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

function isWholeNumber(bytes: Buffer, { first, start, end }: JsonTokens): boolean {
  if (!isDigit(first) && first !== BYTE.minus) return false;
  for (let at = start + 1; at < end; at += 1) if (!isDigit(bytes[at] as number)) return false;
  return true;
}
