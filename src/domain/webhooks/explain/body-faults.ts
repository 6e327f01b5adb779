import { Buffer } from "../buffer.ts";
import type { CauseId } from "./causes.ts";
import { isBase64 } from "./encodings.ts";
import type { JsonStyle } from "./json-print.ts";
import { isSpace } from "./json-tokens.ts";
import type { ParsedBody } from "./parsed-body.ts";

/**
 * A fault of the body that can be undone. Two of them are undone in the order of their stages: what was wrapped is
 * unwrapped before it is printed another way, and its line end comes last.
 */
export interface BodyFault {
  readonly id: CauseId;
  readonly description: string;
  readonly cost: number;
  readonly stage: number;
  /** What undoing it costs for each byte before and after, where the bytes are not just copied (`COST`). */
  readonly costPerByte?: number;
  /** The body as it was signed; null where the fault cannot be there. */
  readonly undo: (body: ParsedBody) => Uint8Array | string | null;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithBom = ({ bytes }: ParsedBody): boolean => bytes.subarray(0, 3).equals(BOM);

function removeLineEnd({ bytes }: ParsedBody): Buffer | null {
  if (bytes.at(-1) !== LF) return null;
  return bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1);
}

/** From both ends: a pattern for the white space at an end would start again at each white space before it. */
function trim({ bytes, text }: ParsedBody): Buffer | null {
  if (text === null) return null;
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start] as number)) start += 1;
  while (end > start && isSpace(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(start, end);
}

/** UTF-8 that was taken for Latin-1, and its characters encoded as UTF-8 once more. */
function undoLatin1({ text }: ParsedBody): Buffer | null {
  if (text === null || !/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return null;
  return Buffer.from(text, "latin1");
}

/** Text that has as many characters as bytes is ASCII, which is the same in both. */
const decodeAsLatin1 = ({ bytes, text }: ParsedBody): string | null =>
  text?.length === bytes.length ? null : bytes.toString("latin1");

function decodeBase64({ text }: ParsedBody): Buffer | null {
  const compact = text?.replace(/\s+/g, "") ?? "";
  return compact.length >= 4 && isBase64(compact) ? Buffer.from(compact, "base64") : null;
}

/** What stands behind the first `=` of a form, or all of a form without one. */
function decodeForm({ text }: ParsedBody): string | null {
  if (text === null || /[\s{}"<>]/.test(text) || !/[=%]/.test(text)) return null;
  try {
    return decodeURIComponent(
      text
        .replace(/^[\w.-]+=(?=.)/, "")
        .replace(/=$/, "")
        .replaceAll("+", " "),
    );
  } catch {
    return null;
  }
}

const FORM_PREFIX = Buffer.from("payload=");
const HEX = Buffer.from("0123456789ABCDEF");
const UNRESERVED = new Set(Buffer.from("*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"));

/** As application/x-www-form-urlencoded (WHATWG URL §5). URLSearchParams takes many times as long. */
function encodeForm({ bytes, text }: ParsedBody): Buffer | null {
  if (text === null) return null;
  const form = Buffer.allocUnsafe(FORM_PREFIX.length + 3 * bytes.length);
  form.set(FORM_PREFIX);
  let length = FORM_PREFIX.length;
  for (const byte of bytes) {
    if (UNRESERVED.has(byte)) form[length++] = byte;
    else if (byte === 0x20) form[length++] = 0x2b;
    else {
      form[length++] = 0x25;
      form[length++] = HEX[byte >> 4] as number;
      form[length++] = HEX[byte & 0xf] as number;
    }
  }
  return Buffer.from(form.subarray(0, length));
}

const reserializationFault = (printer: string, cost: number, style: JsonStyle): BodyFault => ({
  id: "body.reserialized",
  description: `the body printed as ${printer}`,
  cost,
  stage: 4,
  undo: ({ json }) => json?.print(style) ?? null,
});

const RESERIALIZATION_FAULTS: readonly BodyFault[] = [
  reserializationFault("compact JSON (JSON.stringify)", 1, { space: "", strings: "javascript" }),
  {
    id: "body.reserialized",
    description: "the body parsed and printed by JavaScript, its numbers too",
    cost: 2,
    stage: 4,
    undo: ({ json }) => json?.stringify() ?? null,
  },
  reserializationFault("Python's json.dumps does", 2, { space: " ", strings: "python" }),
  reserializationFault("Python's json.dumps does with ensure_ascii=False", 2, {
    space: " ",
    strings: "javascript",
  }),
  reserializationFault("compact JSON in ASCII (Python's separators, PHP's JSON_UNESCAPED_SLASHES)", 2, {
    space: "",
    strings: "python",
  }),
  reserializationFault("PHP's json_encode does", 2, { space: "", strings: "php" }),
  reserializationFault("PHP's json_encode does with JSON_UNESCAPED_UNICODE", 3, {
    space: "",
    strings: "phpUnicode",
  }),
  reserializationFault("Go's json.Marshal does", 2, { space: "", strings: "go" }),
  reserializationFault("JSON indented by 2 spaces", 2, { space: " ", indent: "  ", strings: "javascript" }),
  reserializationFault("JSON indented by 4 spaces", 3, { space: " ", indent: "    ", strings: "javascript" }),
  reserializationFault("JSON indented by a tab", 4, { space: " ", indent: "\t", strings: "javascript" }),
  reserializationFault("Python's json.dumps does with indent=2", 3, {
    space: " ",
    indent: "  ",
    strings: "python",
  }),
  reserializationFault("Python's json.dumps does with indent=4", 3, {
    space: " ",
    indent: "    ",
    strings: "python",
  }),
  reserializationFault("PHP does with JSON_PRETTY_PRINT", 3, { space: " ", indent: "    ", strings: "php" }),
  reserializationFault("PHP does with JSON_PRETTY_PRINT and JSON_UNESCAPED_UNICODE", 4, {
    space: " ",
    indent: "    ",
    strings: "phpUnicode",
  }),
  reserializationFault("Go's json.MarshalIndent does with 2 spaces", 4, {
    space: " ",
    indent: "  ",
    strings: "go",
  }),
  reserializationFault("Go's json.MarshalIndent does with a tab", 4, {
    space: " ",
    indent: "\t",
    strings: "go",
  }),
];

/** The field of a payload that may have been signed alone: its form is not shown (interface §6), the name is ours. */
const DATA_FIELD = "data";

export const BODY_FAULTS: readonly BodyFault[] = [
  // What only cuts goes before what prints again and thereby cuts as well: of two that come out the same, the first stays.
  {
    id: "body.trailing_newline",
    description: "the body without its last line end",
    cost: 1,
    stage: 5,
    undo: removeLineEnd,
  },
  {
    id: "body.trimmed",
    description: "the body without white space around it",
    cost: 2,
    stage: 5,
    undo: trim,
  },
  {
    id: "body.double_encoded",
    description: "the text inside the JSON string",
    cost: 1,
    stage: 1,
    undo: ({ json }) => (typeof json?.value === "string" ? json.value : null),
  },
  {
    id: "body.base64",
    description: "the body decoded from base64",
    cost: 1,
    stage: 1,
    undo: decodeBase64,
  },
  {
    id: "body.form_encoded",
    description: "the decoded value of the form",
    cost: 1,
    stage: 1,
    costPerByte: 40,
    undo: decodeForm,
  },
  {
    id: "body.bom",
    description: "the body without its byte order mark",
    cost: 1,
    stage: 2,
    undo: (body) => (startsWithBom(body) ? body.bytes.subarray(3) : null),
  },
  {
    id: "body.latin1",
    description: "the body as UTF-8 that was read as Latin-1",
    cost: 1,
    stage: 2,
    undo: undoLatin1,
  },
  {
    id: "body.line_endings",
    description: "the body with LF in place of CRLF",
    cost: 2,
    stage: 3,
    costPerByte: 20,
    undo: ({ text }) => (text?.includes("\r\n") ? text.replaceAll("\r\n", "\n") : null),
  },
  {
    id: "body.line_endings",
    description: "the body with CRLF in place of LF",
    cost: 2,
    stage: 3,
    costPerByte: 20,
    undo: ({ text }) => (text?.includes("\n") ? text.replace(/\r?\n/g, "\r\n") : null),
  },
  {
    id: "body.data_only",
    description: "the data field as it stands in the body",
    cost: 2,
    stage: 4,
    undo: ({ json }) => json?.readRawField(DATA_FIELD) ?? null,
  },
  { id: "body.empty", description: "an empty body", cost: 2, stage: 4, undo: () => "" },
  {
    id: "body.trailing_newline",
    description: "the body with LF at its end",
    cost: 1,
    stage: 5,
    undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from("\n")]),
  },
  {
    id: "body.trailing_newline",
    description: "the body with CRLF at its end",
    cost: 1,
    stage: 5,
    undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from("\r\n")]),
  },
  ...[" ", "\n\n", "\t"].map(
    (end): BodyFault => ({
      id: "body.trimmed",
      description: `the body with ${JSON.stringify(end)} after it`,
      cost: 4,
      stage: 5,
      undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from(end)]),
    }),
  ),
  ...[" ", "\n", "\t"].map(
    (start): BodyFault => ({
      id: "body.trimmed",
      description: `the body with ${JSON.stringify(start)} before it`,
      cost: 4,
      stage: 5,
      undo: ({ bytes }) => Buffer.concat([Buffer.from(start), bytes]),
    }),
  ),
  {
    id: "body.bom",
    description: "the body with a byte order mark before it",
    cost: 3,
    stage: 6,
    undo: (body) => (startsWithBom(body) ? null : Buffer.concat([BOM, body.bytes])),
  },
  {
    id: "body.latin1",
    description: "the body as Latin-1 that was read as UTF-8",
    cost: 3,
    stage: 6,
    undo: decodeAsLatin1,
  },
  {
    id: "body.base64",
    description: "the body as base64",
    cost: 3,
    stage: 7,
    undo: ({ bytes }) => bytes.toString("base64"),
  },
  {
    id: "body.double_encoded",
    description: "the body as a JSON string",
    cost: 3,
    stage: 7,
    undo: ({ text }) => (text === null ? null : JSON.stringify(text)),
  },
  {
    id: "body.form_encoded",
    description: "the body as payload=… of a form",
    cost: 3,
    stage: 7,
    costPerByte: 8,
    undo: encodeForm,
  },
  // Last: they cost most.
  ...RESERIALIZATION_FAULTS,
];
