import { isRecord, isTextTooDeep, parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { memoize } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

export interface JsonStyle {
  /** After a comma and a colon; with an indent, after a colon only. */
  readonly space: "" | " ";
  readonly indent?: 2 | 4 | undefined;
  readonly strings: keyof typeof ESCAPED;
  /** Doubles as a language prints them, `1.00` as 1 or as 1.0; as they stand by default. */
  readonly numbers?: "javascript" | "python" | undefined;
  readonly hasSortedKeys?: boolean | undefined;
  /** As PHP, which reads an empty object as an empty array. */
  readonly hasArraysOnly?: boolean | undefined;
  /** Strings without white space around them, and empty ones as null, as in a request of Laravel. */
  readonly hasTrimmedStrings?: boolean | undefined;
}

/** What the printers of other languages escape; these characters occur only in strings. */
const ESCAPED = {
  javascript: /(?!)/g,
  // json.dumps, ensure_ascii: everything but ASCII from space to tilde.
  python: /[\x7f-\uffff]/g,
  php: /[/\x80-\uffff]/g,
  // json.Marshal makes strings safe for HTML.
  go: /[<>&\u2028\u2029]/g,
  uppercase: /[\x7f-\uffff]/g,
  // The default encoder of System.Text.Json, which escapes quotes so, too.
  dotnet: /\\[\\"]|[<>&'+`\x7f-\uffff]/g,
} as const;

/** @param unit a character, or one with a backslash before it */
function escapeUnit(unit: string, strings: keyof typeof ESCAPED): string {
  if (unit === "/") return "\\/";
  if (unit === "\\\\") return unit;
  const digits = unit.slice(-1).charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${strings === "uppercase" || strings === "dotnet" ? digits.toUpperCase() : digits}`;
}

/** In compact JSON, a colon follows the name of a field. */
const STRING_OR_NAME = /("[^"\\]*(?:\\.[^"\\]*)*")(:?)/gs;

function trimString(whole: string, string: string, colon: string): string {
  const trimmed = colon === "" ? String(parseJsonText(string)).trim() : null;
  if (trimmed === null) return whole;
  return trimmed === "" ? "null" : JSON.stringify(trimmed);
}

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/s;
const NUMBER = /-?\d[\d.eE+-]*/g;

/** Changes JSON piece by piece: its strings, and what stands between them. */
const changePieces = (
  json: string,
  changeRest: (rest: string) => string,
  changeString: (string: string) => string = String,
): string =>
  json
    .split(STRING)
    .map((piece, index) => (index % 2 === 1 ? changeString(piece) : changeRest(piece)))
    .join("");

/** A number as a language prints it that parsed it into a double: the shortest digits that give it again. */
function printNumber(number: string, form: "javascript" | "python"): string {
  // Whole numbers become no doubles, and too large ones nothing that is JSON.
  if (!/[.eE]/.test(number) || !Number.isFinite(Number(number))) return number;
  const printed = String(Number(number));
  if (form === "javascript") return printed;
  const [digits = "", exponent = ""] = Number(number).toExponential().split("e");
  if (Number(exponent) >= -4 && Number(exponent) < 16)
    return printed.includes(".") ? printed : `${printed}.0`;
  return `${digits}e${exponent.replace(/^(.)(\d)$/, (_, sign: string, digit: string) => `${sign}0${digit}`)}`;
}

const MARK = "\0";

/** The value of JSON with each number as a string of its digits after a mark. */
const parseExact = (compact: string): unknown =>
  parseJsonText(changePieces(compact, (rest) => rest.replace(NUMBER, '"\\u0000$&"')));

/** Prints what {@link parseExact} returns. It must not nest deep: this recurses. */
function printExact(value: unknown, hasSortedKeys = false): string {
  if (typeof value === "string" && value.startsWith(MARK)) return value.slice(1);
  if (Array.isArray(value)) return `[${value.map((each) => printExact(each, hasSortedKeys)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const keys = hasSortedKeys ? Object.keys(value).sort() : Object.keys(value);
  const fields = keys.map((key) => `${JSON.stringify(key)}:${printExact(value[key], hasSortedKeys)}`);
  return `{${fields.join(",")}}`;
}

const addSpaces = (compact: string): string => changePieces(compact, (rest) => rest.replace(/[,:]/g, "$& "));

function indentJson(compact: string): string {
  let depth = 0;
  const startLine = () => `\n${"  ".repeat(depth)}`;
  return changePieces(compact, (rest) =>
    rest.replace(/\[\]|\{\}|[[\]{},:]/g, (token) => {
      if (token === ":") return ": ";
      if (token === ",") return `,${startLine()}`;
      if (token.length === 2) return token;
      depth += token === "[" || token === "{" ? 1 : -1;
      return token === "[" || token === "{" ? token + startLine() : startLine() + token;
    }),
  );
}

/** Nesting levels up to which JSON is printed: functions recurse, and indents grow with the square of the depth. */
const MAX_DEPTH = { ofSmallBody: 64, ofLargeBody: 8 } as const;
const MAX_SMALL_LENGTH = 64 << 10;

/** A body that is decoded and parsed when a fault needs it, within the budget. */
export class ParsedBody {
  readonly bytes: Buffer;
  readonly #work: WorkBudget;
  readonly #text = memoize(() => this.#decode());
  readonly #json = memoize(() => this.#parse());
  readonly #compact = memoize(() => this.#printCompact());
  readonly #spaced = memoize(() => addSpaces(this.#compact()));
  readonly #indented = memoize(() => indentJson(this.#compact()));
  readonly #exact = memoize(() => parseExact(this.#compact()));
  readonly #isTooDeep = memoize(() => this.#checkDepth());

  constructor(received: Uint8Array, work: WorkBudget) {
    this.bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
    this.#work = work;
  }

  /** Null unless the bytes are UTF-8. */
  get text(): string | null {
    return this.#text();
  }

  /** The value of the JSON; undefined unless the text is JSON. */
  get json(): unknown {
    return this.#json();
  }

  /** The same value; undefined, too, if it nests so deep that printing it would take too long. */
  get printableJson(): unknown {
    return this.json === undefined || this.#isTooDeep() ? undefined : this.json;
  }

  /** The JSON in a style. Without one of `numbers`, numbers stay; the order of keys stays. Null if there is none. */
  print(style: JsonStyle): string | null {
    const { space, indent, strings, numbers, hasSortedKeys = false } = style;
    if (this.json === undefined) return null;
    let text = this.#compact();
    if (numbers)
      text = changePieces(text, (rest) => rest.replace(NUMBER, (digits) => printNumber(digits, numbers)));
    if ((hasSortedKeys || indent !== undefined) && this.#isTooDeep()) return null;
    if (hasSortedKeys) text = printExact(numbers ? parseExact(text) : this.#exact(), true);
    if (style.hasArraysOnly) text = changePieces(text, (rest) => rest.replaceAll("{}", "[]"));
    if (style.hasTrimmedStrings) text = text.replace(STRING_OR_NAME, trimString);
    // Escapes are in strings only, so they can come last. What several styles have in common is made once.
    const isAsReceived = text === this.#compact();
    if (indent !== undefined) text = isAsReceived ? this.#indented() : indentJson(text);
    else if (space === " ") text = isAsReceived ? this.#spaced() : addSpaces(text);
    if (indent === 4) text = text.replace(/^ +/gm, "$&$&");
    return text.replace(ESCAPED[strings], (unit) => escapeUnit(unit, strings));
  }

  /** A field of the outermost object as compact JSON, its numbers as they stand; null without it. */
  printField(name: string): string | null {
    const value = this.printableJson;
    if (!isRecord(value) || !Object.hasOwn(value, name)) return null;
    // To read each number as its digits takes several times as long.
    if (JSON.stringify(this.json) === this.#compact()) return JSON.stringify(value[name]);
    const exact = this.#exact();
    return isRecord(exact) ? printExact(exact[name]) : null;
  }

  // Not a fatal TextDecoder: jest's jsdom has none.
  #decode(): string | null {
    if (!this.#work.trySpend(this.bytes.length * COST.byteRead)) return null;
    const text = this.bytes.toString("utf8");
    return Buffer.from(text).equals(this.bytes) ? text : null;
  }

  #parse(): unknown {
    const { text } = this;
    if (text === null || !/^[ \t\r\n]*[-\d"[{tfn]/.test(text)) return undefined;
    return this.#work.trySpend(text.length * COST.byteParsed) ? parseJsonText(text) : undefined;
  }

  /** Valid JSON without white space. Strings are printed by JSON.stringify; numbers and the order of keys stay. */
  #printCompact(): string {
    let escaped = 0;
    const removeSpace = (rest: string) => rest.replace(/\s+/g, "");
    const compact = changePieces(this.text ?? "", removeSpace, (string) => {
      if (!string.includes("\\")) return string;
      escaped += 1;
      return JSON.stringify(JSON.parse(string));
    });
    this.#work.charge(escaped * COST.escapedString);
    return compact;
  }

  #checkDepth(): boolean {
    const { ofSmallBody, ofLargeBody } = MAX_DEPTH;
    const maxDepth = this.bytes.length > MAX_SMALL_LENGTH ? ofLargeBody : ofSmallBody;
    const isTooDeep = isTextTooDeep(this.text ?? "", maxDepth);
    if (isTooDeep) this.#work.markIncomplete();
    return isTooDeep;
  }
}

/** An object in JSON of fewer characters could be the beginning of anything. */
const TRUNCATED_START = /^(?=[\s\S]{8})\s*\{\s*"/;

/** A string without its end is one token: what it holds is no bracket. */
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[[\]{},]/gs;

/** A part of a name and its value, or of an item, cut anywhere. */
const CUT_ENTRY =
  /^\s*(?:"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"\s*(?::\s*(?:"[^"\\]*(?:\\.[^"\\]*)*\\?"?|[-\w.+]*))?)?|[-\w.+]*)\s*$/s;

/** Whether it is an object in JSON without its end: it is JSON when its last entry is left out, and its brackets are closed. */
export function isTruncatedJson(text: string): boolean {
  if (!TRUNCATED_START.test(text)) return false;
  const closing: string[] = [];
  let end = 0;
  let next = 0;
  for (const { 0: token, index } of text.matchAll(STRING_OR_BRACKET)) {
    if (token.startsWith('"')) continue;
    if (token === "{" || token === "[") closing.push(token === "{" ? "}" : "]");
    else if (token !== ",") closing.pop();
    if (closing.length === 0) return false;
    end = token === "," ? index : index + 1;
    next = index + 1;
  }
  const whole = text.slice(0, end) + closing.toReversed().join("");
  return CUT_ENTRY.test(text.slice(next)) && parseJsonText(whole) !== undefined;
}
