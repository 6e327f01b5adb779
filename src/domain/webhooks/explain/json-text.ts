import { isRecord, isTextTooDeep, parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { memoize } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** How a language prints a value that it parsed from JSON. */
export interface JsonStyle {
  /** After a comma and a colon; with an indent, after a colon only. */
  readonly space: "" | " ";
  readonly indent?: 2 | 4 | undefined;
  readonly strings: keyof typeof PRINT_STRING;
  /** Doubles as a language prints them, `1.00` as 1 or as 1.0; as they stand by default. */
  readonly numbers?: "javascript" | "python" | undefined;
  readonly hasSortedKeys?: boolean | undefined;
  /** As PHP, which reads an empty object as an empty array. */
  readonly hasArraysOnly?: boolean | undefined;
  /** Strings without white space around them, and empty ones as null, as in a request of Laravel. */
  readonly hasTrimmedStrings?: boolean | undefined;
  /** Another colon than that of JSON. */
  readonly colon?: string | undefined;
  /** Other words than those of JSON. */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

const toHex = (unit: string): string => unit.slice(-1).charCodeAt(0).toString(16).padStart(4, "0");
const escapeUnit = (unit: string): string => `\\u${toHex(unit)}`;
const escapeInUppercase = (unit: string): string => `\\u${toHex(unit).toUpperCase()}`;

/** In the quotes that need no escapes, if there are such. */
const inPythonQuotes = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? `"${text.replace(/\\/g, "\\\\")}"`
    : `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}'`;

/** How languages print a string, from what JSON.stringify prints. */
const PRINT_STRING = {
  javascript: (json: string) => json,
  // json.dumps, ensure_ascii: everything but ASCII from space to tilde.
  python: (json: string) => json.replace(/[\x7f-\uffff]/g, escapeUnit),
  php: (json: string) => json.replace(/\//g, "\\/").replace(/[\x80-\uffff]/g, escapeUnit),
  // json.Marshal makes strings safe for HTML.
  go: (json: string) => json.replace(/[<>&\u2028\u2029]/g, escapeUnit),
  uppercase: (json: string) => json.replace(/[\x7f-\uffff]/g, escapeInUppercase),
  // The default encoder of System.Text.Json, which escapes quotes so, too.
  dotnet: (json: string) =>
    json.replace(/\\\\|\\"|[<>&'+`\x7f-\uffff]/g, (unit) =>
      unit === "\\\\" ? unit : escapeInUppercase(unit),
    ),
  pythonRepr: (json: string) => inPythonQuotes(JSON.parse(json)),
} as const;

function trimString(json: string): string {
  const trimmed = String(parseJsonText(json)).trim();
  return trimmed === "" ? "null" : JSON.stringify(trimmed);
}

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

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/s;
const NUMBER = /-?\d[\d.eE+-]*/g;

/** JSON in pieces: its strings at the odd places, and what stands between them. Printing these needs no recursion. */
const splitStrings = (json: string): readonly string[] => json.split(STRING);

const mapPieces = (
  pieces: readonly string[],
  changeRest: (rest: string) => string,
  changeString: (string: string, isName: boolean) => string,
): string =>
  pieces
    .map((piece, index) =>
      index % 2 === 1 ? changeString(piece, pieces[index + 1]?.startsWith(":") === true) : changeRest(piece),
    )
    .join("");

/** @param pieces of compact JSON */
function printPieces(pieces: readonly string[], style: JsonStyle): string {
  const { numbers, words, hasArraysOnly, hasTrimmedStrings } = style;
  const printString = PRINT_STRING[style.strings];
  const space = createSpacing(style);
  const printRest = (rest: string): string => {
    let text = rest;
    if (numbers) text = text.replace(NUMBER, (digits) => printNumber(digits, numbers));
    if (words) text = text.replace(/[a-z]{4,}/g, (word) => words[word] ?? word);
    if (hasArraysOnly) text = text.replaceAll("{}", "[]");
    return space(text);
  };
  return mapPieces(pieces, printRest, (string, isName) => {
    const trimmed = hasTrimmedStrings && !isName ? trimString(string) : string;
    return printString(trimmed);
  });
}

/** Adds white space to what stands between the strings, which it gets one after the other. */
function createSpacing({ space, indent, colon = `:${space}` }: JsonStyle): (rest: string) => string {
  if (indent === undefined) {
    if (space === "") return (rest) => rest;
    return (rest) => rest.replace(/[,:]/g, (token) => (token === ":" ? colon : ", "));
  }
  let depth = 0;
  const startLine = () => `\n${" ".repeat(indent * depth)}`;
  return (rest) =>
    rest.replace(/\[\]|\{\}|[[\]{},:]/g, (token) => {
      if (token === ":") return colon;
      if (token === ",") return `,${startLine()}`;
      if (token.length === 2) return token;
      depth += token === "[" || token === "{" ? 1 : -1;
      return token === "[" || token === "{" ? token + startLine() : startLine() + token;
    });
}

const MARK = "\0";

/** The value of JSON with each number as a string of its digits after a mark. */
const parseExact = (pieces: readonly string[]): unknown =>
  parseJsonText(mapPieces(pieces, (rest) => rest.replace(NUMBER, '"\\u0000$&"'), String));

/** Prints what {@link parseExact} returns. It must not nest deep: this recurses. */
function printExact(value: unknown, hasSortedKeys = false): string {
  if (typeof value === "string" && value.startsWith(MARK)) return value.slice(1);
  if (Array.isArray(value)) return `[${value.map((each) => printExact(each, hasSortedKeys)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const keys = hasSortedKeys ? Object.keys(value).sort() : Object.keys(value);
  const fields = keys.map((key) => `${JSON.stringify(key)}:${printExact(value[key], hasSortedKeys)}`);
  return `{${fields.join(",")}}`;
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
  readonly #pieces = memoize(() => splitStrings(this.#compact()));
  readonly #exact = memoize(() => parseExact(this.#pieces()));
  readonly #sorted = memoize(() => splitStrings(printExact(this.#exact(), true)));
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

  /** The JSON in a style; null if there is none. Without one of `numbers`, numbers stay; the order of keys stays. */
  print(style: JsonStyle): string | null {
    if (this.json === undefined) return null;
    if ((style.hasSortedKeys || style.indent !== undefined) && this.#isTooDeep()) return null;
    return printPieces(style.hasSortedKeys ? this.#sorted() : this.#pieces(), style);
  }

  /** A field of the outermost object as compact JSON, its numbers as they stand; null without it. */
  printField(name: string): string | null {
    const value = this.printableJson;
    if (!isRecord(value) || !Object.hasOwn(value, name)) return null;
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
    const compact = mapPieces(splitStrings(this.text ?? ""), removeSpace, (string) => {
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
