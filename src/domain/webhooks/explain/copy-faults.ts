import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type BodyFault, fault, STAGE, type Undo, whereText } from "./body-fault.ts";
import { decodeEscapes, removeLastLineEnd } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";

/** What is between the first quote and the last one of its kind: of a literal, an assignment, a serialized string. */
function readQuoted(text: string): string | null {
  const start = text.search(/["'`]/);
  const end = start < 0 ? -1 : text.lastIndexOf(text.charAt(start));
  return end > start + 1 && start < MAX_BEFORE_QUOTE ? text.slice(start + 1, end) : null;
}

/** A longer text before the quote is no name of a variable. */
const MAX_BEFORE_QUOTE = 40;

/** In single quotes of Perl, PHP and Ruby, a backslash escapes only quotes and itself. */
function unquote({ text }: ParsedBody): string | null {
  const inner = text === null || /^\s*[[{]/.test(text) ? null : readQuoted(text);
  return inner === null ? null : inner.replace(/\\(['"\\])/g, "$1");
}

const unescapeWhole: Undo = ({ text, json }) =>
  text === null || json !== undefined || !/\\["'x:=#0-7uU\\/]/.test(text)
    ? null
    : decodeEscapes(removeLastLineEnd(text));

/** Bytes as numbers: `[123 34 …]` of Go, `123,34` of JavaScript, signed ones of Java. */
const joinNumbers = whereText(/^\s*(?:[\w.]*[[({<]\s*|[\w.]+\s+)?-?\d{1,3}(?:\s*,\s*|\s+)-?\d/, (text) => {
  if (/[^\d\s,;[\](){}<>-]/.test(text)) return null;
  const numbers = text.match(/-?\d+/g) ?? [];
  const isBytes = numbers.every((each) => Number(each) >= -128 && Number(each) <= 255);
  return isBytes && numbers.length > 1 ? Buffer.from(numbers.map(Number)) : null;
});

const readOnlyName: Undo = ({ json }) => {
  const [name = "", ...others] = isRecord(json) ? Object.keys(json) : [];
  return others.length === 0 && /^\s*\{/.test(name) ? name : null;
};

/** What is before and after the outermost object: a log prefix, a fence, a call, a length, punctuation. */
const takeObject: Undo = ({ bytes, text }) => {
  if (text === null) return null;
  const [start, end] = [bytes.indexOf("{"), bytes.lastIndexOf("}") + 1];
  if (start < 0 || end <= start || end - start === bytes.length || /^\s*\[/.test(text)) return null;
  // White space alone has causes of its own.
  const around = bytes.toString("utf8", 0, start) + bytes.toString("utf8", end);
  return /[^\s\ufeff\0]/.test(around) ? bytes.subarray(start, end) : null;
};

/** A plus sign before a number that a form decoder made a space. */
const restorePlus = whereText(/" \d/, (text) => text.replace(/" (?=\d)/g, '"+'));

/** rsyslog writes a control character as # and three octal digits. */
const decodeSyslog = whereText(/#0(?:1[125])/, (text) =>
  text.replace(/#0(1[125])/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8))),
);

/** Mail and chat programs write quotes for people, which JSON does not have. */
const straightenQuotes: Undo = ({ text, json }) =>
  text === null || json !== undefined || !/[\u201c-\u201f]/.test(text)
    ? null
    : text.replace(/[\u201c-\u201f]/g, '"').replace(/[\u2018-\u201b]/g, "'");

/** The body as logs, chats and programs show it. */
// biome-ignore format: a table, one row a line
export const COPY_FAULTS: readonly BodyFault[] = [
  fault("body.printed", STAGE.wrap, "what is in the quotes of a literal", unquote),
  fault("body.printed", STAGE.wrap, "the body with its escapes decoded", unescapeWhole),
  fault("body.printed", STAGE.wrap, "the body with the line ends that syslog wrote as #012", decodeSyslog),
  fault("body.printed", STAGE.wrap, "the body with straight quotes, which a mail or chat program made curly", straightenQuotes),
  fault("body.printed", STAGE.wrap, "the bytes that are printed as numbers", joinNumbers),
  fault("body.surrounded", STAGE.frame, "the object without what is before and after it", takeObject),
  fault("body.envelope", STAGE.wrap, "the only element of the list", ({ text }) => /^\s*\[\s*(\{[\s\S]*\})\s*\]\s*$/.exec(text ?? "")?.[1] ?? null),
  fault("body.form_encoded", STAGE.wrap, "the body that a form parser made the name of a field", readOnlyName),
  fault("body.percent_encoded", STAGE.wrap, "the body with plus signs before its numbers", restorePlus),
];
