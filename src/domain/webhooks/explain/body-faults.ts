import { Buffer } from "../buffer.ts";
import type { Body } from "./body.ts";
import type { CauseId } from "./causes.ts";
import { isBase64 } from "./encodings.ts";
import type { JsonStyle } from "./json-print.ts";
import { isSpace } from "./json-tokens.ts";

/**
 * A fault of the body that can be undone. Two of them are undone in the order of their stages: what was wrapped is
 * unwrapped before it is printed another way, and its line end comes last.
 */
export interface BodyFault {
  readonly id: CauseId;
  readonly undone: string;
  readonly cost: number;
  readonly stage: number;
  /** What undoing it costs for each byte before and after, where the bytes are not just copied (`COST`). */
  readonly costPerByte?: number;
  /** The body as it was signed; null where the fault cannot be there. */
  readonly undo: (body: Body) => Uint8Array | string | null;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithBom = ({ bytes }: Body): boolean => bytes.subarray(0, 3).equals(BOM);

function withoutLineEnd({ bytes }: Body): Buffer | null {
  if (bytes.at(-1) !== LF) return null;
  return bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1);
}

/** From both ends: a pattern for the white space at an end would start again at each white space before it. */
function trim({ bytes, text }: Body): Buffer | null {
  if (text === null) return null;
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start] as number)) start += 1;
  while (end > start && isSpace(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(start, end);
}

/** UTF-8 that was taken for Latin-1, and its characters encoded as UTF-8 once more. */
function fromLatin1({ text }: Body): Buffer | null {
  if (text === null || !/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return null;
  return Buffer.from(text, "latin1");
}

/** Text that has as many characters as bytes is ASCII, which is the same in both. */
const toLatin1Twice = ({ bytes, text }: Body): string | null =>
  text?.length === bytes.length ? null : bytes.toString("latin1");

function fromBase64({ text }: Body): Buffer | null {
  const compact = text?.replace(/\s+/g, "") ?? "";
  return compact.length >= 4 && isBase64(compact) ? Buffer.from(compact, "base64") : null;
}

/** What stands behind the first `=` of a form, or all of a form without one. */
function fromForm({ text }: Body): string | null {
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

const FORM_START = Buffer.from("payload=");
const HEX = Buffer.from("0123456789ABCDEF");
const UNRESERVED = new Set(Buffer.from("*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"));

/** As application/x-www-form-urlencoded (WHATWG URL §5). URLSearchParams takes many times as long. */
function formEncoded({ bytes, text }: Body): Buffer | null {
  if (text === null) return null;
  const form = Buffer.allocUnsafe(FORM_START.length + 3 * bytes.length);
  form.set(FORM_START);
  let length = FORM_START.length;
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

const reserialized = (undone: string, cost: number, style: JsonStyle): BodyFault => ({
  id: "body.reserialized",
  undone: `the body printed as ${undone}`,
  cost,
  stage: 4,
  undo: ({ json }) => json?.print(style) ?? null,
});

const STYLES: readonly BodyFault[] = [
  reserialized("compact JSON (JSON.stringify)", 1, { space: "", strings: "javascript" }),
  {
    id: "body.reserialized",
    undone: "the body parsed and printed by JavaScript, its numbers too",
    cost: 2,
    stage: 4,
    undo: ({ json }) => json?.stringify() ?? null,
  },
  reserialized("Python's json.dumps does", 2, { space: " ", strings: "python" }),
  reserialized("Python's json.dumps does with ensure_ascii=False", 2, { space: " ", strings: "javascript" }),
  reserialized("compact JSON in ASCII (Python's separators, PHP's JSON_UNESCAPED_SLASHES)", 2, {
    space: "",
    strings: "python",
  }),
  reserialized("PHP's json_encode does", 2, { space: "", strings: "php" }),
  reserialized("PHP's json_encode does with JSON_UNESCAPED_UNICODE", 3, { space: "", strings: "phpUnicode" }),
  reserialized("Go's json.Marshal does", 2, { space: "", strings: "go" }),
  reserialized("JSON indented by 2 spaces", 2, { space: " ", indent: "  ", strings: "javascript" }),
  reserialized("JSON indented by 4 spaces", 3, { space: " ", indent: "    ", strings: "javascript" }),
  reserialized("JSON indented by a tab", 4, { space: " ", indent: "\t", strings: "javascript" }),
  reserialized("Python's json.dumps does with indent=2", 3, { space: " ", indent: "  ", strings: "python" }),
  reserialized("Python's json.dumps does with indent=4", 3, {
    space: " ",
    indent: "    ",
    strings: "python",
  }),
  reserialized("PHP does with JSON_PRETTY_PRINT", 3, { space: " ", indent: "    ", strings: "php" }),
  reserialized("PHP does with JSON_PRETTY_PRINT and JSON_UNESCAPED_UNICODE", 4, {
    space: " ",
    indent: "    ",
    strings: "phpUnicode",
  }),
  reserialized("Go's json.MarshalIndent does with 2 spaces", 4, { space: " ", indent: "  ", strings: "go" }),
  reserialized("Go's json.MarshalIndent does with a tab", 4, { space: " ", indent: "\t", strings: "go" }),
];

/** The field of a payload that may have been signed alone: its form is not shown (interface §6), the name is ours. */
const DATA = "data";

export const BODY_FAULTS: readonly BodyFault[] = [
  // What only cuts goes before what prints again and thereby cuts as well: of two that come out the same, the first stays.
  {
    id: "body.trailing_newline",
    undone: "the body without its last line end",
    cost: 1,
    stage: 5,
    undo: withoutLineEnd,
  },
  {
    id: "body.trimmed",
    undone: "the body without white space around it",
    cost: 2,
    stage: 5,
    undo: trim,
  },
  {
    id: "body.double_encoded",
    undone: "the text inside the JSON string",
    cost: 1,
    stage: 1,
    undo: ({ json }) => (typeof json?.value === "string" ? json.value : null),
  },
  {
    id: "body.base64",
    undone: "the body decoded from base64",
    cost: 1,
    stage: 1,
    undo: fromBase64,
  },
  {
    id: "body.form_encoded",
    undone: "the decoded value of the form",
    cost: 1,
    stage: 1,
    costPerByte: 40,
    undo: fromForm,
  },
  {
    id: "body.bom",
    undone: "the body without its byte order mark",
    cost: 1,
    stage: 2,
    undo: (body) => (startsWithBom(body) ? body.bytes.subarray(3) : null),
  },
  {
    id: "body.latin1",
    undone: "the body as UTF-8 that was read as Latin-1",
    cost: 1,
    stage: 2,
    undo: fromLatin1,
  },
  {
    id: "body.line_endings",
    undone: "the body with LF in place of CRLF",
    cost: 2,
    stage: 3,
    costPerByte: 20,
    undo: ({ text }) => (text?.includes("\r\n") ? text.replaceAll("\r\n", "\n") : null),
  },
  {
    id: "body.line_endings",
    undone: "the body with CRLF in place of LF",
    cost: 2,
    stage: 3,
    costPerByte: 20,
    undo: ({ text }) => (text?.includes("\n") ? text.replace(/\r?\n/g, "\r\n") : null),
  },
  {
    id: "body.data_only",
    undone: "the data field as it stands in the body",
    cost: 2,
    stage: 4,
    undo: ({ json }) => json?.field(DATA) ?? null,
  },
  { id: "body.empty", undone: "an empty body", cost: 2, stage: 4, undo: () => "" },
  {
    id: "body.trailing_newline",
    undone: "the body with LF at its end",
    cost: 1,
    stage: 5,
    undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from("\n")]),
  },
  {
    id: "body.trailing_newline",
    undone: "the body with CRLF at its end",
    cost: 1,
    stage: 5,
    undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from("\r\n")]),
  },
  ...[" ", "\n\n", "\t"].map(
    (end): BodyFault => ({
      id: "body.trimmed",
      undone: `the body with ${JSON.stringify(end)} after it`,
      cost: 4,
      stage: 5,
      undo: ({ bytes }) => Buffer.concat([bytes, Buffer.from(end)]),
    }),
  ),
  ...[" ", "\n", "\t"].map(
    (start): BodyFault => ({
      id: "body.trimmed",
      undone: `the body with ${JSON.stringify(start)} before it`,
      cost: 4,
      stage: 5,
      undo: ({ bytes }) => Buffer.concat([Buffer.from(start), bytes]),
    }),
  ),
  {
    id: "body.bom",
    undone: "the body with a byte order mark before it",
    cost: 3,
    stage: 6,
    undo: (body) => (startsWithBom(body) ? null : Buffer.concat([BOM, body.bytes])),
  },
  {
    id: "body.latin1",
    undone: "the body as Latin-1 that was read as UTF-8",
    cost: 3,
    stage: 6,
    undo: toLatin1Twice,
  },
  {
    id: "body.base64",
    undone: "the body as base64",
    cost: 3,
    stage: 7,
    undo: ({ bytes }) => bytes.toString("base64"),
  },
  {
    id: "body.double_encoded",
    undone: "the body as a JSON string",
    cost: 3,
    stage: 7,
    undo: ({ text }) => (text === null ? null : JSON.stringify(text)),
  },
  {
    id: "body.form_encoded",
    undone: "the body as payload=… of a form",
    cost: 3,
    stage: 7,
    costPerByte: 8,
    undo: formEncoded,
  },
  // Last: they cost most.
  ...STYLES,
];
