import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type BodyFault, fault, MAX_PAIRED_COST, STAGE, type Undo, whereText } from "./body-fault.ts";
import { decodeControls, decodeEscapes, decodeQuotedPrintable, removeLastLineEnd } from "./encodings.ts";

/** @param isOnlyQuotes a backslash escapes quotes and itself, as in single quotes of Perl, PHP and Ruby */
const unescapeText = (text: string, isOnlyQuotes: boolean): string | Buffer =>
  isOnlyQuotes ? text.replace(/\\(['"\\])/g, "$1") : decodeEscapes(text);

/** What is between the first quote and the last one of its kind: of a literal, an assignment, a serialized string. */
function readQuoted(text: string): string | null {
  const start = text.search(/["'`]/);
  const end = start < 0 ? -1 : text.lastIndexOf(text.charAt(start));
  return end > start + 1 && start < MAX_BEFORE_QUOTE ? text.slice(start + 1, end) : null;
}

/** A longer text before the quote is no name of a variable. */
const MAX_BEFORE_QUOTE = 40;

const unquote =
  (isOnlyQuotes: boolean): Undo =>
  ({ text }) => {
    const inner = text === null || /^\s*[[{]/.test(text) ? null : readQuoted(text);
    return inner === null || (!isOnlyQuotes && !inner.includes("\\"))
      ? null
      : unescapeText(inner, isOnlyQuotes);
  };

const unescapeWhole =
  (isOnlyQuotes: boolean): Undo =>
  ({ text, json }) =>
    text === null || json !== null || !/\\["'x:=#0-7uU\\/]/.test(text)
      ? null
      : unescapeText(removeLastLineEnd(text), isOnlyQuotes);

/** Bytes as numbers: `[123 34 …]` of Go, `123,34` of JavaScript, signed ones of Java. */
const joinNumbers = whereText(/^\s*(?:[\w.]*[[({<]\s*|[\w.]+\s+)?-?\d{1,3}(?:\s*,\s*|\s+)-?\d/, (text) => {
  if (/[^\d\s,;[\](){}<>-]/.test(text)) return null;
  const numbers = text.match(/-?\d+/g) ?? [];
  const isBytes = numbers.every((each) => Number(each) >= -128 && Number(each) <= 255);
  return isBytes && numbers.length > 1 ? Buffer.from(numbers.map(Number)) : null;
});

/** A cell of a table, in which quotes are doubled (RFC 4180). */
const readCell = whereText(/^\s*"?[[{]\s*""/, (text) =>
  text
    .trim()
    .replace(/^"([\s\S]*)"$/, "$1")
    .replaceAll('""', '"'),
);

const undoQuotedPrintable = whereText(/=(?:[0-9A-F]{2}|\r?\n)/, decodeQuotedPrintable);

/** Bytes as `0x7b, 0x22`, in a literal of Go, C or Java. */
const joinHexNumbers = whereText(/^[^"]{0,40}0x[0-9a-f]{1,2}\s*,/i, (text) => {
  const numbers = text.match(/0x[0-9a-f]{1,2}\b/gi) ?? [];
  return numbers.length > 1 ? Buffer.from(numbers.map(Number)) : null;
});

const readOnlyName: Undo = ({ json }) => {
  const [name = "", ...others] = isRecord(json?.value) ? Object.keys(json.value) : [];
  return others.length === 0 && /^\s*\{/.test(name) ? name : null;
};

/** A dump with offsets before, and characters after the bytes: xxd, hexdump -C, od. */
const readHexDump = whereText(/^[ \t]*[0-9a-f]{4,8}:?[ \t]+(?:[0-9a-f]{2,4}[ \t]+){2}/im, (text) => {
  const lines = text.split("\n").flatMap((line) => DUMP_LINE.exec(line)?.[1] ?? []);
  return lines.length > 0 ? Buffer.from(lines.join("").replace(/[\s-]+/g, ""), "hex") : null;
});

const DUMP_LINE =
  /^\s*[0-9a-f]{4,8}:?\s+((?:[0-9a-f]{2}(?:[0-9a-f]{2})?[ -]{1,3})*[0-9a-f]{2,4})(?:\s{2,}.*|\s*\|.*|\s*)$/i;

/** What is before and after the outermost object: a log prefix, a fence, a call, a length, punctuation. */
const takeObject =
  (lineEnd: string): Undo =>
  ({ bytes, text }) => {
    if (text === null) return null;
    const [start, end] = [bytes.indexOf("{"), bytes.lastIndexOf("}") + 1];
    if (start < 0 || end <= start || end - start === bytes.length || /^\s*\[/.test(text)) return null;
    // White space alone has causes of its own.
    const around = bytes.toString("utf8", 0, start) + bytes.toString("utf8", end);
    return /[^\s\ufeff\0]/.test(around)
      ? Buffer.concat([bytes.subarray(start, end), Buffer.from(lineEnd)])
      : null;
  };

/** One character at an end that a copy adds or loses. */
const ENDS = [";", ",", ".", "'", '"', "`", ")", "]", "}", ":", "%", "$", "|", ">"];

/** A plus sign before a number that a form decoder made a space. */
const restorePlus = whereText(/" \d/, (text) => text.replace(/" (?=\d)/g, '"+'));

const stripLinePrefix: Undo = ({ text }) => {
  const lines = text?.split("\n") ?? [];
  return lines.length > 2 && lines.every((line) => /^(?:> ?|\| ?|\t| {4}|$)/.test(line))
    ? lines.map((line) => line.replace(/^(?:> ?|\| ?|\t| {4})/, "")).join("\n")
    : null;
};

/** The body as logs, chats and programs show it. */
// biome-ignore format: a table, one row a line
export const COPY_FAULTS: readonly BodyFault[] = [
  fault("body.printed", STAGE.wrap, 2, "what is in the quotes of a literal", unquote(true), 20),
  fault("body.printed", STAGE.wrap, 2, "what is in the quotes of a literal, with its escapes decoded", unquote(false), 40),
  fault("body.printed", STAGE.wrap, 2, "the body with its escapes decoded", unescapeWhole(false), 40),
  fault("body.printed", STAGE.wrap, 2, "the body without the backslashes before quotes", unescapeWhole(true), 20),
  fault("body.printed", STAGE.wrap, 1, "the bytes that are printed as numbers", joinNumbers, 20),
  fault("body.printed", STAGE.wrap, 1, "the bytes of a hex dump", readHexDump, 40),
  fault("body.printed", STAGE.wrap, 2, "the lines without what marks a quotation", stripLinePrefix, 10),
  fault("body.printed", STAGE.wrap, 1, "the cell of a table without its doubled quotes", readCell, 10),
  fault("body.printed", STAGE.wrap, 2, "the body decoded from quoted-printable", undoQuotedPrintable, 20),
  fault("body.printed", STAGE.wrap, 2, "the body with its control characters in place of #012", whereText(/#0[0-3][0-7]/, decodeControls), 10),
  fault("body.printed", STAGE.wrap, 2, "the body with spaces in place of no-break spaces", whereText(/\u00a0/, (text) => text.replaceAll("\u00a0", " "))),
  fault("body.printed", STAGE.wrap, 1, "the bytes that are printed as hex numbers", joinHexNumbers, 20),
  fault("body.surrounded", STAGE.frame, 2, "the object without what is before and after it", takeObject("")),
  fault("body.surrounded", STAGE.frame, 3, "the object and a line feed, without what is before and after it", takeObject("\n")),
  fault("body.envelope", STAGE.wrap, 1, "the only element of the list", ({ text }) => /^\s*\[\s*(\{[\s\S]*\})\s*\]\s*$/.exec(text ?? "")?.[1] ?? null),
  fault("body.form_encoded", STAGE.wrap, 1, "the body that a form parser made the name of a field", readOnlyName),
  fault("body.percent_encoded", STAGE.wrap, 3, "the body with plus signs before its numbers", restorePlus),
  ...ENDS.map((end) => fault("body.surrounded", STAGE.edges, MAX_PAIRED_COST + 1, `the body with ${JSON.stringify(end)} after it`, ({ bytes }) => Buffer.concat([bytes, Buffer.from(end)]))),
  ...[1, 2].map((count) => fault("body.surrounded", STAGE.edges, MAX_PAIRED_COST + 1, `the body without its last ${count === 1 ? "character" : `${count} characters`}`, ({ text }) => (text !== null && text.length > count ? removeLastLineEnd(text).slice(0, -count) : null))),
];
