import { decodeEscapes } from "../explain/encodings.ts";
import { inputError } from "./delivery.ts";

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
