import { valueAt } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import * as encodings from "./body-encodings.ts";
import {
  type BodyContext,
  type BodyFault,
  fault,
  MAX_PAIRED_COST,
  STAGE,
  type Undo,
  whereText,
} from "./body-fault.ts";
import * as framing from "./body-framing.ts";
import { CHARSETS, undoCharset } from "./charsets.ts";
import { detectCompression, MAX_DECOMPRESSED_BYTES } from "./compression.ts";
import { COPY_FAULTS } from "./copy-faults.ts";
import { DUMP_FAULTS } from "./dump-faults.ts";
import { decodeBase64, orNull, removeLastLineEnd } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";
import { isSpace } from "./json-tokens.ts";
import { REPRINT_FAULTS } from "./reprint-faults.ts";

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithBom = ({ bytes }: ParsedBody): boolean => bytes.subarray(0, 3).equals(BOM);

const removeLineEnd: Undo = ({ bytes }) =>
  bytes.at(-1) === LF ? bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1) : null;

/** Scans from both ends: a pattern for trailing white space would restart at each white space in the body. */
function trim({ bytes, text }: ParsedBody): Buffer | null {
  if (text === null) return null;
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start] as number)) start += 1;
  while (end > start && isSpace(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(start, end);
}

const removeBom: Undo = (body) => (startsWithBom(body) ? body.bytes.subarray(3) : null);
const addBom: Undo = (body) => (startsWithBom(body) ? null : Buffer.concat([BOM, body.bytes]));

/** Splits, because replacing each of a million line ends takes several times the memory. */
const toLineEnd = (lineEnd: string) => whereText(/[\r\n]/, (text) => text.split(/\r\n?|\n/).join(lineEnd));

const parseString: Undo = ({ json }) => (typeof json?.value === "string" ? json.value : null);
const quoteText: Undo = ({ text }) => (text === null ? null : JSON.stringify(text));

const decodeBase64Text: Undo = ({ text }) => decodeBase64(text?.replace(/\s+/g, "") ?? "");

/** Text with as many characters as bytes is ASCII, which is the same in both. */
const decodeAsLatin1: Undo = ({ bytes, text }) =>
  text?.length === bytes.length ? null : bytes.toString("latin1");

/** The JSON in a form, otherwise its first value, or its first name if that has no value. */
const decodeForm: Undo = ({ text, json }) => {
  const form = removeLastLineEnd(text ?? "");
  if (json !== null || /[\s{}"<>]/.test(form) || !/^[\w.-]+=|=$/.test(form)) return null;
  const [name = "", value = "", ...others] = [...new URLSearchParams(form)].flat();
  return [name, value, ...others].find((each) => /^\s*[[{]/.test(each)) ?? (value || name);
};

function decompressBody({ bytes }: ParsedBody, { headers, decompress }: BodyContext): Uint8Array | null {
  const compression = detectCompression(bytes, headers);
  if (compression === null || decompress === undefined) return null;
  // The bytes can only look compressed, or be too many.
  return orNull(() => decompress(bytes, compression, MAX_DECOMPRESSED_BYTES));
}

const addAround =
  (before: string, after: string): Undo =>
  ({ bytes }) =>
    Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);

/**
 * A new row costs 1 if only this fault makes such a body, 2 if support meets it, 3 or 4 if it is rarer, and 5 if it is to be
 * tried alone; it stands before every row that can give the same body and says less of how, because of two equal results the
 * first counts, and after all rows that do less work.
 */
// biome-ignore format: a table, one row a line
export const BODY_FAULTS: readonly BodyFault[] = [
  // Faults that only cut come before those that print again and cut as well: of two equal results, the first counts.
  fault("body.trailing_newline", STAGE.edges, 1, "the body without its last line end", removeLineEnd),
  fault("body.trimmed", STAGE.edges, 2, "the body without white space around it", trim),
  fault("body.chunked", STAGE.frame, 1, "the joined chunks", ({ bytes }) => framing.joinChunks(bytes)),
  fault("body.excess_bytes", STAGE.frame, 1, "the bytes up to Content-Length", (body, { headers }) => framing.cutAtContentLength(body, headers)),
  fault("body.nul_padding", STAGE.frame, 1, "the body without the NULs at its end", framing.removePadding),
  fault("body.doubled", STAGE.frame, 1, "the first half of the body, which is there twice", framing.removeSecondCopy),
  fault("body.compressed", STAGE.compress, 1, "the decompressed body", decompressBody),
  fault("body.charset", STAGE.charset, 1, "the body decoded from UTF-16", encodings.decodeUtf16),
  fault("body.printed", STAGE.wrap, 1, "the body with its cut lines joined", framing.unwrapLines, 20),
  fault("body.printed", STAGE.wrap, 1, "the body decoded from hex", framing.decodeHexText),
  fault("body.printed", STAGE.wrap, 1, "the dict, hash or object that was printed, as JSON", encodings.undoLiteral, 40),
  fault("body.printed", STAGE.wrap, 1, "the bytes of the Buffer that Node printed as JSON", encodings.undoBufferJson, 10),
  ...Array.from({ length: framing.MAX_ENVELOPES }, (_, index) => fault("body.envelope", STAGE.wrap, 1, "the body inside the envelope", (body) => framing.listEnvelopeContents(body)[index] ?? null, 10)),
  fault("body.double_encoded", STAGE.wrap, 1, "the text inside the JSON string", parseString),
  fault("body.base64", STAGE.wrap, 1, "the body decoded from base64", decodeBase64Text),
  fault("body.form_encoded", STAGE.wrap, 1, "the decoded value of the form", decodeForm, 40),
  fault("body.percent_encoded", STAGE.wrap, 1, "the body decoded from percent encoding", encodings.decodePercentBody, 40),
  fault("body.html_entities", STAGE.wrap, 1, "the body with its HTML entities decoded", encodings.decodeEntities, 40),
  fault("body.bom", STAGE.charset, 1, "the body without its byte order mark", removeBom),
  fault("body.charset", STAGE.charset, 1, "the body as UTF-8 that was read as Latin-1", undoCharset("latin1")),
  ...CHARSETS.map((charset) => fault("body.charset", STAGE.charset, 2, `the body as UTF-8 that was read as ${charset}`, undoCharset(charset), 20)),
  ...["latin1", "windows-1252"].map((charset) => fault("body.charset", STAGE.charset, 3, `the body as UTF-8 that was read as ${charset} twice`, undoCharset(charset, 2), 40)),
  fault("body.unicode_normalized", STAGE.charset, 2, "the body with composed characters (NFC)", encodings.composeCharacters, 20),
  fault("body.line_endings", STAGE.lines, 2, "the body with its line ends as LF", toLineEnd("\n"), 20),
  fault("body.line_endings", STAGE.lines, 2, "the body with its line ends as CRLF", toLineEnd("\r\n"), 20),
  // Interface §6 does not show the payload; `data` is our name for the field that may have been signed alone.
  fault("body.data_only", STAGE.print, 2, "only the data field", ({ json }) => (framing.isEvent(valueAt(json?.value, "data")) ? null : (json?.readRawField("data") ?? null))),
  fault("body.reserialized", STAGE.print, 3, "the body with {} for its empty lists, as before PHP's arrays", ({ text, json }) => (json !== null && text?.includes("[]") ? text.replaceAll("[]", "{}") : null), 20),
  fault("body.empty", STAGE.print, 2, "an empty body", () => ""),
  fault("body.trailing_newline", STAGE.edges, 1, "the body with LF at its end", addAround("", "\n")),
  fault("body.trailing_newline", STAGE.edges, 1, "the body with CRLF at its end", addAround("", "\r\n")),
  fault("body.trimmed", STAGE.edges, 4, 'the body with " " after it', addAround("", " ")),
  fault("body.bom", STAGE.bom, 3, "the body with a byte order mark before it", addBom),
  fault("body.charset", STAGE.bom, 3, "the body as Latin-1 that was read as UTF-8", decodeAsLatin1),
  fault("body.base64", STAGE.encode, 3, "the body as base64", ({ bytes }) => bytes.toString("base64")),
  fault("body.double_encoded", STAGE.encode, 3, "the body as a JSON string", quoteText),
  ...COPY_FAULTS,
  // The most expensive ones come last.
  ...REPRINT_FAULTS,
  fault("body.printed", STAGE.encode, MAX_PAIRED_COST + 1, "the body as hex", ({ bytes }) => bytes.toString("hex")),
  fault("body.percent_encoded", STAGE.encode, MAX_PAIRED_COST + 1, "the body percent-encoded", encodings.encodePercent, 40),
  fault("body.html_entities", STAGE.encode, MAX_PAIRED_COST + 1, "the body with HTML entities", encodings.encodeEntities, 40),
  ...DUMP_FAULTS,
];
