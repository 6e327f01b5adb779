import { valueAt } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import * as encodings from "./body-encodings.ts";
import {
  type BodyContext,
  type BodyFault,
  fault,
  rareFault,
  STAGE,
  type Undo,
  whereText,
} from "./body-fault.ts";
import * as framing from "./body-framing.ts";
import { detectCompression, MAX_DECOMPRESSED_BYTES } from "./compression.ts";
import { COPY_FAULTS } from "./copy-faults.ts";
import { DUMP_FAULTS } from "./dump-faults.ts";
import { decodeBase64, orNull, readBufferJson, removeLastLineEnd } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";
import { REPRINT_FAULTS } from "./reprint-faults.ts";
import { trimAscii } from "./secrets.ts";

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithBom = ({ bytes }: ParsedBody): boolean => bytes.subarray(0, 3).equals(BOM);

const removeLineEnd: Undo = ({ bytes }) =>
  bytes.at(-1) === LF ? bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1) : null;

/** Splits, because replacing each of a million line ends takes several times the memory. */
const toLineEnd = (lineEnd: string) => whereText(/[\r\n]/, (text) => text.split(/\r\n?|\n/).join(lineEnd));

/** The JSON in a form, otherwise its first value, or its first name if that has no value. */
const decodeForm: Undo = ({ text, json }) => {
  const form = removeLastLineEnd(text ?? "");
  if (json !== undefined || /[\s{}"<>]/.test(form) || !/^[\w.-]+=|=$/.test(form)) return null;
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
 * A row stands before every row that can give the same body and says less of how, because of two equal results the first
 * counts, and after all rows that do less work. A rare fault is tried alone.
 */
// biome-ignore format: a table, one row a line
export const BODY_FAULTS: readonly BodyFault[] = [
  // Faults that only cut come before those that print again and cut as well: of two equal results, the first counts.
  fault("body.trailing_newline", STAGE.edges, "the body without its last line end", removeLineEnd),
  fault("body.trimmed", STAGE.edges, "the body without white space around it", ({ text }) => (text === null ? null : trimAscii(text))),
  fault("body.chunked", STAGE.frame, "the joined chunks", ({ bytes }) => framing.joinChunks(bytes)),
  fault("body.excess_bytes", STAGE.frame, "the bytes up to Content-Length", (body, { headers }) => framing.cutAtContentLength(body, headers)),
  fault("body.nul_padding", STAGE.frame, "the body without the NULs at its end", framing.removePadding),
  fault("body.compressed", STAGE.compress, "the decompressed body", decompressBody),
  fault("body.charset", STAGE.charset, "the body decoded from UTF-16", encodings.decodeUtf16),
  fault("body.printed", STAGE.wrap, "the body with its cut lines joined", framing.unwrapLines),
  fault("body.printed", STAGE.wrap, "the body decoded from hex", framing.decodeHexText),
  fault("body.printed", STAGE.wrap, "the dict, hash or object that was printed, as JSON", encodings.undoLiteral),
  fault("body.printed", STAGE.wrap, "the bytes of the Buffer that Node printed as JSON", ({ json }) => readBufferJson(json)),
  ...Array.from({ length: framing.MAX_ENVELOPES }, (_, index) => fault("body.envelope", STAGE.wrap, "the body inside the envelope", (body) => framing.listEnvelopeContents(body)[index] ?? null)),
  fault("body.double_encoded", STAGE.wrap, "the text inside the JSON string", ({ json }) => (typeof json === "string" ? json : null)),
  fault("body.base64", STAGE.wrap, "the body decoded from base64", ({ text }) => decodeBase64(text?.replace(/\s+/g, "") ?? "")),
  fault("body.form_encoded", STAGE.wrap, "the decoded value of the form", decodeForm),
  fault("body.percent_encoded", STAGE.wrap, "the body decoded from percent encoding", encodings.decodePercentBody),
  fault("body.html_entities", STAGE.wrap, "the body with its HTML entities decoded", whereText(/&/, encodings.decodeEntities)),
  fault("body.bom", STAGE.charset, "the body without its byte order mark", (body) => (startsWithBom(body) ? body.bytes.subarray(3) : null)),
  fault("body.charset", STAGE.charset, "the body as UTF-8 that was read as Latin-1", encodings.undoCharset("Latin-1")),
  fault("body.charset", STAGE.charset, "the body as UTF-8 that was read as windows-1252", encodings.undoCharset("windows-1252")),
  fault("body.charset", STAGE.charset, "the body as UTF-8 that was read as macintosh", encodings.undoCharset("macintosh")),
  fault("body.charset", STAGE.charset, "the body as UTF-8 that was read as Latin-1 twice", encodings.undoCharset("Latin-1", 2)),
  fault("body.unicode_normalized", STAGE.charset, "the body with composed characters (NFC)", whereText(/[^\0-\x7f]/, (text) => text.normalize("NFC"))),
  fault("body.line_endings", STAGE.lines, "the body with its line ends as LF", toLineEnd("\n")),
  fault("body.line_endings", STAGE.lines, "the body with its line ends as CRLF", toLineEnd("\r\n")),
  // Interface §6 does not show the payload; `data` is our name for the field that may have been signed alone.
  fault("body.data_only", STAGE.print, "only the data field", (body) => (framing.isEvent(valueAt(body.json, "data")) ? null : body.printField("data"))),
  fault("body.reserialized", STAGE.print, "the body with {} for its empty lists, as before PHP's arrays", ({ text, json }) => (json !== undefined && text?.includes("[]") ? text.replaceAll("[]", "{}") : null)),
  fault("body.empty", STAGE.print, "an empty body", () => ""),
  fault("body.trailing_newline", STAGE.edges, "the body with LF at its end", addAround("", "\n")),
  fault("body.trailing_newline", STAGE.edges, "the body with CRLF at its end", addAround("", "\r\n")),
  fault("body.trimmed", STAGE.edges, 'the body with " " after it', addAround("", " ")),
  fault("body.bom", STAGE.bom, "the body with a byte order mark before it", (body) => (startsWithBom(body) ? null : Buffer.concat([BOM, body.bytes]))),
  // Text with as many characters as bytes is ASCII, which is the same in both.
  fault("body.charset", STAGE.bom, "the body read as Latin-1 and written as UTF-8", ({ bytes, text }) => (text?.length === bytes.length ? null : bytes.toString("latin1"))),
  fault("body.base64", STAGE.encode, "the body as base64", ({ bytes }) => bytes.toString("base64")),
  fault("body.double_encoded", STAGE.encode, "the body as a JSON string", ({ text }) => (text === null ? null : JSON.stringify(text))),
  ...COPY_FAULTS,
  // The most expensive ones come last.
  ...REPRINT_FAULTS,
  rareFault("body.printed", STAGE.encode, "the body as hex", ({ bytes }) => bytes.toString("hex")),
  rareFault("body.percent_encoded", STAGE.encode, "the body percent-encoded", ({ text }) => (text === null ? null : encodeURIComponent(text))),
  rareFault("body.html_entities", STAGE.encode, "the body with HTML entities", whereText(/[&<>"']/, encodings.encodeEntities)),
  ...DUMP_FAULTS,
];
