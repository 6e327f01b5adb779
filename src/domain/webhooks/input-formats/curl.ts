import { Buffer } from "node:buffer";
import { type HeaderPair, inputError } from "./delivery.ts";
import { trimBlanks } from "./http-request.ts";
import { splitShellWords } from "./shell-words.ts";

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
export async function parseCurl(line: string, shownAs: string, readFile: ReadFile) {
  const { command, heredoc } = splitHeredoc(line.trim().replace(/^[$>#] /, ""), shownAs);
  const [program = "", ...words] = splitShellWords(command);
  const { args, hereString } = splitHereString(words);
  const stdin = heredoc ?? hereString;
  if (!/^(.*\/)?curl(\.exe)?$/.test(program))
    throw inputError(
      `${shownAs} does not begin with curl`,
      "paste the whole command line, as one line or with a backslash at each line's end",
    );
  const readBodyFile = async (path: string): Promise<Buffer> => {
    if (path !== "-") return readFile(path);
    if (stdin !== null) return Buffer.from(stdin);
    throw inputError(
      `the body in ${shownAs} is @-, the stdin of curl`,
      "save the body in a file, and give --body with --headers",
    );
  };
  const headers: HeaderPair[] = [];
  const pieces: Buffer[] = [];
  for (const { name, written, value } of readOptions(args)) {
    if (value === undefined)
      throw inputError(
        `${shownAs} ends after ${written}, which takes a value`,
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

/** `<<EOF`, `<<'EOF'` or `<<-EOF`, the rest of its line, and the lines after it. */
const HEREDOC = /(?<!<)<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|([\w.-]+))([^\n]*)\n/;

/**
 * Splits off a heredoc (bash manual, Here Documents), without expansions. Only `@-` reads it: other text with `<<` is
 * part of the body.
 */
function splitHeredoc(line: string, shownAs: string): { command: string; heredoc: string | null } {
  // Without the last line, which no line end follows: each `<<` in it would start a search to its end.
  const match = line.includes("@-") ? HEREDOC.exec(line.slice(0, line.lastIndexOf("\n") + 1)) : null;
  if (!match) return { command: line, heredoc: null };
  const [whole, dash = "", single, double, bare, rest = ""] = match;
  const end = single ?? double ?? bare;
  const lines = line.slice(match.index + whole.length).split("\n");
  const length = lines.findIndex((each) => (dash ? each.replace(/^\t+/, "") : each) === end);
  if (length < 0)
    throw inputError(`the heredoc in ${shownAs} does not end with ${end}`, "paste all its lines");
  const kept = lines.slice(0, length).map((each) => `${dash ? each.replace(/^\t+/, "") : each}\n`);
  const text = kept.join("");
  return {
    command: line.slice(0, match.index) + rest,
    heredoc:
      bare === undefined ? text : text.replace(/\\(\n|[$`\\])/g, (_, next) => (next === "\n" ? "" : next)),
  };
}

/** Splits off `<<< text`; the shell adds a line feed. */
function splitHereString(words: readonly string[]): { args: string[]; hereString: string | null } {
  const at = words.findIndex((word) => word.startsWith("<<<"));
  if (at < 0) return { args: [...words], hereString: null };
  const joined = words[at]?.slice(3) ?? "";
  const count = joined === "" ? 2 : 1;
  return {
    args: words.toSpliced(at, count),
    hereString: `${joined === "" ? (words[at + 1] ?? "") : joined}\n`,
  };
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
