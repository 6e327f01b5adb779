import { decodeEscapes } from "../explain/encodings.ts";
import { inputError } from "./delivery.ts";

const DOUBLE_QUOTED = /"((?:\\[\s\S]|[^\\"])*)"/;

/** Of PowerShell, in which a backtick escapes; a backslash before it is for the program. */
const POWERSHELL_DOUBLE_QUOTED = /"((?:\\?`[\s\S]|\\[^`]|[^\\"`])*)"/;

/**
 * The pieces of a POSIX command line: white space, three kinds of quotes, an escaped character, plain text. Chats and word
 * processors make typographic quotes of the straight ones.
 */
const createPiece = (doubleQuoted: RegExp): RegExp =>
  new RegExp(
    [
      /\s+/,
      /\$'((?:\\[\s\S]|[^\\'])*)'/,
      /'([^']*)'/,
      /[\u2018\u2019]([^\u2018\u2019]*)[\u2018\u2019]/,
      doubleQuoted,
      /[\u201c\u201d]((?:\\[\s\S]|[^\\\u201c\u201d])*)[\u201c\u201d]/,
      /\\(\r?\n)/,
      /\\([\s\S])/,
      /([^\s'"\u2018\u2019\u201c\u201d\\$]+|\$)/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "gy",
  );

const PIECE = createPiece(DOUBLE_QUOTED);
const POWERSHELL_PIECE = createPiece(POWERSHELL_DOUBLE_QUOTED);

/** Lines that a backtick continues, or the name that PowerShell needs: its own `curl` is another program. */
const POWERSHELL = /`[ \t]*\r?\n|^(?:\S*[\\/])?curl\.exe\s/;

/**
 * Splits a command line into words like a POSIX shell or bash, without expansions. Reads double quotes like PowerShell if
 * the command is of it.
 */
export function splitShellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let end = 0;
  for (const match of line.matchAll(POWERSHELL.test(line) ? POWERSHELL_PIECE : PIECE)) {
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
  text.includes('`"')
    ? unescapeBackticks(text)
    : text.replace(/\\(\r?\n|[$`"\\])/g, (_, next: string) => (next.endsWith("\n") ? "" : next));

/** Before version 7.3, PowerShell needs a backslash for the program before each quote. */
function unescapeBackticks(text: string): string {
  const unescaped = text.replace(/`(["`$])/g, "$1");
  return /(?<!\\)"/.test(unescaped) ? unescaped : unescaped.replaceAll('\\"', '"');
}
