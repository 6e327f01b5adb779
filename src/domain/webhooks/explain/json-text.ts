import { isRecord } from "../../json.ts";

/** A token of JSON text, and where it stands: what is printed again keeps its numbers and the order of its keys. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  /** Whether every printer writes it the same way. */
  readonly fixed: boolean;
}

/** JSON as it was written; its tokens are looked for when somebody asks. */
export interface JsonText {
  readonly text: string;
  readonly value: unknown;
  readonly tokens: readonly Token[];
}

/** How a printer lays JSON out, and how it writes the characters of strings. */
export interface JsonStyle {
  /** After a comma and a colon; where there is an indent, after a colon alone. */
  readonly space: "" | " ";
  readonly indent?: string;
  readonly strings: keyof typeof ESCAPES;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Characters that some printer escapes, or that stand in a source as an escape. */
const VARIABLE = /[^ -~]|[\\/<>&]/;

/** Reads JSON; null where the text is none. */
export function readJsonText(text: string): JsonText | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  let tokens: readonly Token[] | undefined;
  return {
    text,
    value,
    get tokens() {
      tokens ??= [...tokensOf(text)];
      return tokens;
    },
  };
}

/** The tokens of a text up to where it stops being JSON by its characters; structure is not looked at. */
function* tokensOf(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (isSpace(code)) {
      at += 1;
      continue;
    } else if (isPunctuation(code)) at += 1;
    else while (at < text.length && !endsLiteral(text.charCodeAt(at))) at += 1;
    const raw = text.slice(start, at);
    yield { start, end: at, raw, fixed: code !== QUOTE || !VARIABLE.test(raw) };
  }
}

/** Where the string that begins here ends, its last quote included; the end of the text where it has none. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isPunctuation = (code: number): boolean =>
  code === 0x2c || code === 0x3a || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
const endsLiteral = (code: number): boolean => isSpace(code) || isPunctuation(code) || code === QUOTE;

const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const lineSeparators = (text: string): string => text.replace(/[\u2028\u2029]/g, unicode);

/** What printers of several languages do to the characters of a string that JSON.stringify has printed. */
const ESCAPES = {
  javascript: (text: string) => text,
  // json.dumps, ensure_ascii: everything but ASCII from space to tilde.
  python: (text: string) => text.replace(/[^ -~]/g, unicode),
  php: (text: string) => text.replace(/[^\0-\x7f]/g, unicode).replaceAll("/", "\\/"),
  // JSON_UNESCAPED_UNICODE leaves the two line separators escaped.
  phpUnicode: (text: string) => lineSeparators(text).replaceAll("/", "\\/"),
  // json.Marshal makes its strings safe for HTML.
  go: (text: string) => lineSeparators(text).replace(/[<>&]/g, unicode),
} as const;

/** The text as another printer would have written it. */
export function printJson({ tokens }: JsonText, { space, indent, strings }: JsonStyle): string {
  const parts: string[] = [];
  let depth = 0;
  const newLine = () => (indent === undefined ? "" : `\n${indent.repeat(depth)}`);
  for (const [index, token] of tokens.entries()) {
    const { raw } = token;
    const isEmptied = raw === "{" || raw === "[" ? isClosing(tokens[index + 1]?.raw) : false;
    if (raw === "{" || raw === "[") {
      depth += 1;
      parts.push(raw, isEmptied ? "" : newLine());
    } else if (raw === "}" || raw === "]") {
      depth -= 1;
      const before = tokens[index - 1]?.raw;
      parts.push(before === "{" || before === "[" ? "" : newLine(), raw);
    } else if (raw === ",") parts.push(",", indent === undefined ? space : newLine());
    else if (raw === ":") parts.push(":", indent === undefined ? space : " ");
    else parts.push(token.fixed ? raw : ESCAPES[strings](JSON.stringify(JSON.parse(raw))));
  }
  return parts.join("");
}

const isClosing = (raw: string | undefined): boolean => raw === "}" || raw === "]";

/** The text of a field of the outermost object, exactly as it stands there; null where there is none. */
export function fieldText({ text, value, tokens }: JsonText, name: string): string | null {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return null;
  let depth = 0;
  for (const [index, { raw }] of tokens.entries()) {
    if (raw === "{" || raw === "[") depth += 1;
    if (isClosing(raw)) depth -= 1;
    if (depth !== 1 || tokens[index + 1]?.raw !== ":" || !raw.startsWith('"') || JSON.parse(raw) !== name)
      continue;
    const first = tokens[index + 2];
    return first ? text.slice(first.start, valueEnd(tokens, index + 2)) : null;
  }
  return null;
}

function valueEnd(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (const { raw, end } of tokens.slice(from)) {
    if (raw === "{" || raw === "[") depth += 1;
    if (isClosing(raw)) depth -= 1;
    if (depth === 0) return end;
  }
  return 0;
}

/** Shorter beginnings are as likely to be anything else. */
const SHORTEST_BEGINNING = 8;

/** Whether a text is JSON whose end is missing: an object that begins, has only tokens of JSON, and is not closed. */
export function breaksOff(text: string): boolean {
  if (text.length < SHORTEST_BEGINNING || !/^\s*\{\s*"/.test(text) || readJsonText(text)) return false;
  let depth = 0;
  let last = "";
  for (const { raw, end } of tokensOf(text)) {
    if (raw === "{" || raw === "[") depth += 1;
    if (isClosing(raw)) depth -= 1;
    // The last token may be cut anywhere.
    if (depth <= 0 || (end < text.length && !isToken(raw)) || clashes(last, raw)) return false;
    last = raw;
  }
  return depth > 0;
}

const isToken = (raw: string): boolean =>
  /^("|[{}[\],:]$|(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?)$)/.test(raw);

/** Whether two tokens cannot stand beside each other in any JSON. */
const clashes = (before: string, after: string): boolean =>
  /[\w"]$/.test(before) && /^[\w"{[-]/.test(after) && before !== "";
