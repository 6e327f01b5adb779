import { Buffer } from "node:buffer";
import { type HeaderPair, inputError, type ReceivedDelivery } from "./delivery.ts";
import { splitShellWords } from "./shell-words.ts";

/** Options that add to the body, and how curl changes their values (curl manual, --data). */
const DATA_OPTIONS: Readonly<Record<string, "text" | "raw" | "binary" | "urlencode">> = {
  "-d": "text",
  "--data": "text",
  "--data-ascii": "text",
  "--json": "binary",
  "--data-raw": "raw",
  "--data-binary": "binary",
  "--data-urlencode": "urlencode",
};

/** One-letter options with a value: the next word, or the rest of this one. */
const SHORT_WITH_VALUE = /^-([HdXuoAebcxmFTwKECrYyzUtPQ])(.*)$/s;

/** Frequent long options without a value; any other option takes the next word. */
const LONG_SWITCHES: ReadonlySet<string> = new Set(
  `--compressed --insecure --location --silent --show-error --verbose --include --fail --http1.1 --http2 --globoff
  --path-as-is --no-buffer --get --head --tlsv1.2 --ipv4 --ipv6 --next --progress-bar --fail-with-body
  --no-progress-meter`.split(/\s+/),
);

type ReadFile = (path: string) => Promise<Buffer>;

/** @param readFile reads a file that the command line names */
export async function parseCurl(
  line: string,
  shownAs: string,
  readFile: ReadFile,
): Promise<ReceivedDelivery> {
  const command = line.replace(/^\ufeff/, "").trim();
  const [program = "", ...words] = splitShellWords(command.replace(/^\$ /, ""));
  if (!/^(.*\/)?curl(\.exe)?$/.test(program))
    throw inputError(
      `${shownAs} does not begin with curl`,
      "paste the whole command line, as one line or with a backslash at each line's end",
    );
  const headers: HeaderPair[] = [];
  const pieces: Buffer[] = [];
  for (const [option, value] of readOptions(words, shownAs)) {
    if (option === "-H" || option === "--header") headers.push(...parseHeader(value));
    const how = DATA_OPTIONS[option];
    if (how === undefined) continue;
    if (pieces.length > 0 && option !== "--json") pieces.push(Buffer.from("&"));
    pieces.push(await readData(value, how, readFile));
  }
  return { headers, body: Buffer.concat(pieces) };
}

function* readOptions(words: readonly string[], shownAs: string): Generator<[option: string, value: string]> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const short = /^-[A-Za-z#]/.test(word) ? parseShortOptions(word) : null;
    const takesNext = short ? short[1] === null : word.startsWith("--") && !LONG_SWITCHES.has(word);
    if (!short && !word.startsWith("--")) continue;
    if (takesNext && at + 1 >= words.length)
      throw inputError(
        `${shownAs} ends after ${short?.[0] ?? word}, which takes a value`,
        "paste the whole command line",
      );
    if (takesNext) at += 1;
    yield [short?.[0] ?? word, takesNext ? (words[at] ?? "") : (short?.[1] ?? "")];
  }
}

/** The option with a value in a word such as `-sSd`, and the rest of the word; null if the next word is the value. */
function parseShortOptions(word: string): [option: string, value: string | null] {
  for (let letter = 1; letter < word.length; letter += 1) {
    const [, name, rest = ""] = SHORT_WITH_VALUE.exec(`-${word.slice(letter)}`) ?? [];
    if (name !== undefined) return [`-${name}`, rest === "" ? null : rest];
  }
  return [word, ""];
}

/** `Name: value`; `Name;` sends an empty header, `Name:` removes it. */
function parseHeader(text: string): HeaderPair[] {
  const [, name = "", mark, value = ""] = /^([^:;\s]+)\s*([:;])[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  return name === "" || (mark === ":" && value === "") ? [] : [[name, value]];
}

async function readData(
  value: string,
  how: (typeof DATA_OPTIONS)[string],
  readFile: ReadFile,
): Promise<Buffer> {
  if (how === "urlencode") return Buffer.from(encodeUrl(value));
  if (how === "raw" || !value.startsWith("@")) return Buffer.from(value);
  const bytes = await readFile(value.slice(1));
  // --data removes carriage returns, line feeds and NUL from a file.
  return how === "text"
    ? Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0))
    : bytes;
}

/** `name=content`, `=content` or `content`. */
function encodeUrl(value: string): string {
  const [, name = "", content = value] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  return `${name === "" ? "" : `${name}=`}${encodeURIComponent(content)}`;
}
