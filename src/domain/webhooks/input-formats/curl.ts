import { Buffer } from "node:buffer";
import { decodeEscapes } from "../explain/encodings.ts";
import { type HeaderPair, inputError } from "./delivery.ts";
import { trimBlanks } from "./http-request.ts";

/** Options that add to the body, and how curl changes their values (curl manual, --data). */
const DATA_OPTIONS: Readonly<Record<string, "text" | "raw" | "binary" | "urlencode">> = {
  data: "text",
  "data-ascii": "text",
  json: "binary",
  "data-raw": "raw",
  "data-binary": "binary",
  "data-urlencode": "urlencode",
};

/** One-letter options with a value. Long options but these are ignored, as URLs are. */
const SHORT_OPTIONS = "HdXuoAebcxmFTwKECrYyzUtPQ";
const LONG_NAMES: Readonly<Record<string, string>> = { H: "header", d: "data" };

/** Whether text is a command line of curl, perhaps after a prompt. */
export const isCurl = (text: string): boolean => /^\s*(?:[$>#] )?(?:\S*[\\/])?curl(?:\.exe)?\s/.test(text);

type ReadFile = (path: string) => Promise<Buffer>;

/** @param readFile reads a file that the command line names */
export async function parseCurl(line: string, displayName: string, readFile: ReadFile) {
  const [program = "", ...args] = splitShellWords(line.trim().replace(/^[$>#] /, ""));
  if (!/^(.*\/)?curl(\.exe)?$/.test(program))
    throw inputError(
      `${displayName} does not begin with curl`,
      "paste the whole command line, as one line or with a backslash at each line's end",
    );
  const readBodyFile = (path: string): Promise<Buffer> => {
    if (path !== "-") return readFile(path);
    throw inputError(
      `the body in ${displayName} is @-, the stdin of curl`,
      "save the body in a file, and give --body with --headers",
    );
  };
  const headers: HeaderPair[] = [];
  const pieces: Buffer[] = [];
  for (const { name, written, value } of readOptions(args)) {
    if (value === undefined)
      throw inputError(
        `${displayName} ends after ${written}, which takes a value`,
        "paste the whole command line",
      );
    if (name === "header") headers.push(...parseHeader(value));
    const encoding = DATA_OPTIONS[name];
    if (encoding === undefined) continue;
    if (pieces.length > 0 && name !== "json") pieces.push(Buffer.from("&"));
    pieces.push(await readData(value, encoding, readBodyFile));
  }
  return { headers, body: Buffer.concat(pieces) };
}

/** The headers and the data among the arguments, by name and as the command line has them. */
function* readOptions(args: readonly string[]) {
  const words = args.values();
  for (const word of words) {
    if (word === "--") return;
    const [, long, joined] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const at = /^-[^-]/.test(word) ? [...word].findIndex((letter) => SHORT_OPTIONS.includes(letter)) : -1;
    const letter = at < 0 ? "" : word.charAt(at);
    const name = long ?? LONG_NAMES[letter];
    if (name === "header" || (name !== undefined && Object.hasOwn(DATA_OPTIONS, name))) {
      const value = (long === undefined ? word.slice(at + 1) || undefined : joined) ?? words.next().value;
      yield { name, written: long === undefined ? `-${letter}` : `--${long}`, value };
    } else if (letter !== "" && at === word.length - 1) words.next();
  }
}

/** `Name: value`; `Name;` sends an empty header, `Name:` removes it. */
function parseHeader(text: string): HeaderPair[] {
  const [, name = "", mark, rest = ""] = /^([^:;\s]+)\s*([:;])(.*)$/s.exec(text) ?? [];
  const value = trimBlanks(rest);
  return name === "" || (mark === ":" && value === "") ? [] : [[name, value]];
}

async function readData(value: string, encoding: (typeof DATA_OPTIONS)[string], readFile: ReadFile) {
  if (encoding === "urlencode") return Buffer.from(encodeUrl(value));
  if (encoding === "raw" || !value.startsWith("@")) return Buffer.from(value);
  const bytes = await readFile(value.slice(1));
  // --data removes carriage returns, line feeds and NUL from a file.
  return encoding === "text" ? Buffer.from(bytes.filter((byte) => ![0x0a, 0x0d, 0].includes(byte))) : bytes;
}

/** `name=content`, `=content` or `content`. */
function encodeUrl(value: string): string {
  const [, name = "", content = value] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  return `${name === "" ? "" : `${name}=`}${encodeURIComponent(content)}`;
}

/**
 * The pieces of a POSIX command line: white space, three kinds of quotes, an escaped character, plain text. Chats and word
 * processors make typographic quotes of the straight ones.
 */
const PIECE = new RegExp(
  [
    /\s+/,
    /\$'((?:\\[\s\S]|[^\\'])*)'/,
    /'([^']*)'/,
    /[\u2018\u2019]([^\u2018\u2019]*)[\u2018\u2019]/,
    /"((?:\\[\s\S]|[^\\"])*)"/,
    /[\u201c\u201d]((?:\\[\s\S]|[^\\\u201c\u201d])*)[\u201c\u201d]/,
    /\\(\r?\n)/,
    /\\([\s\S])/,
    /([^\s'"\u2018\u2019\u201c\u201d\\$]+|\$)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gy",
);

/** Lines that a backtick continues, or a quote that it escapes. Other shells would read another body. */
const POWERSHELL = /`[ \t]*\r?\n|^(?:\S*[\\/])?curl\.exe\s.*`"/s;

/** Splits a command line of a POSIX shell or bash into words, without expansions. */
export function splitShellWords(line: string): readonly string[] {
  if (POWERSHELL.test(line)) throw inputError("this is a command line of PowerShell", "copy it as bash");
  const words: string[] = [];
  let word: string | null = null;
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    const [piece, ansi, single, curlySingle, straightDouble, curlyDouble, continued, escaped, plain] = match;
    const double = straightDouble ?? curlyDouble;
    end = match.index + piece.length;
    if (continued !== undefined) continue;
    const unescaped =
      ansi === undefined ? double && unescapeDoubleQuoted(double) : decodeEscapes(ansi).toString();
    const text = unescaped ?? single ?? curlySingle ?? escaped ?? plain;
    if (text !== undefined) word = (word ?? "") + text;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (end < line.length)
    throw inputError(
      `the quote at character ${end + 1} is not closed`,
      "copy the whole command line; for Windows, copy it as bash",
    );
  return word === null ? words : [...words, word];
}

/** Inside double quotes, a backslash escapes only these (POSIX, 2.2.3). */
const unescapeDoubleQuoted = (text: string): string =>
  text.replace(/\\(\r?\n|[$`"\\])/g, (_, next: string) => (next.endsWith("\n") ? "" : next));
