import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { BODY, type Fault, fault, received, signAs, signed } from "./delivery.ts";

const text = (change: (text: string) => string): string => change(BODY);
const length = (bytes: number) => ({ headers: [["Content-Length", String(bytes)] as const] });
const BYTES = Buffer.byteLength(BODY);
const wrap = (all: string, width: number, end: string): string =>
  (all.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []).join(end);
const UTF16 = Buffer.from(BODY, "utf16le");
const CRLF = "\r\n";
const HEX = Buffer.from(BODY).toString("hex");
const GO = BODY.replace("<b>", "\\u003cb\\u003e").replace("&", "\\u0026");
const LINES = `{\n  "id": "3f0c9a",\n  "n": 1.0\n}\n`;
const ofLines = (name: string, body: string, signedAs = LINES): Fault =>
  fault(name, "body.line_endings proved", { body, signature: signAs({ body: signedAs }) });
const escapeHtml = (all: string): string =>
  all.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const sortKeys = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([key, each]) => [key, sortKeys(each)]),
        )
      : value;
const COMPACT = JSON.stringify(JSON.parse(BODY));
const withKeysSorted = JSON.stringify(sortKeys(JSON.parse(BODY)));

/** The body, as the receiver has it or as the sender signed it. */
export const BODY_FAULTS: readonly Fault[] = [
  received(
    "printed",
    "the bytes of a Buffer, as JSON.stringify prints it",
    JSON.stringify(Buffer.from(BODY)),
  ),
  ...["map[id:3f0c9a type:partner.test]", "{id=3f0c9a, type=partner.test}"].map((body) =>
    fault(`${body} in place of the body`, "body.printed likely", { body, ...length(BYTES) }),
  ),
  received(
    "envelope",
    "base64 of the body in a message of Pub/Sub",
    JSON.stringify({ message: { data: Buffer.from(BODY).toString("base64"), messageId: "7" } }),
  ),
  received(
    "base64",
    "base64 of base64",
    Buffer.from(Buffer.from(BODY).toString("base64")).toString("base64"),
  ),
  fault("base64 in a JSON string", ["body.base64 proved", "body.double_encoded proved"], {
    body: JSON.stringify(Buffer.from(BODY).toString("base64")),
  }),
  fault("JSON sent with curl's default type, the secret of another", "", {
    signature: signAs({ key: "whsec_unknown" }),
    headers: [
      ["Content-Type", "application/x-www-form-urlencoded"],
      ["Content-Length", String(BYTES)],
    ],
  }),
  ofLines("CR in place of LF", LINES.replaceAll("\n", "\r")),
  ofLines("LF in place of CR", LINES, LINES.replaceAll("\n", "\r")),
  ofLines("CR in place of CRLF", LINES.replaceAll("\n", "\r"), LINES.replaceAll("\n", CRLF)),
  ofLines("CRLF in place of LF", LINES.replaceAll("\n", CRLF)),
  received("trailing_newline", "a line end added", `${BODY}\n`),
  received("trailing_newline", "CRLF added", `${BODY}${CRLF}`),
  signed("trailing_newline", "a line end lost", `${BODY}\n`),
  signed("trailing_newline", "CRLF lost", `${BODY}${CRLF}`),
  received("bom", "a byte order mark added", `\ufeff${BODY}`),
  signed("bom", "a byte order mark lost", `\ufeff${BODY}`),
  received("trimmed", "white space around it added", `  ${BODY} \n`),
  signed("trimmed", "a space after it lost", `${BODY} `),
  signed("reserialized", "signed as JavaScript prints it, 1.0 as 1", JSON.stringify(JSON.parse(BODY))),
  signed("reserialized", "signed as Go prints it", GO),
  signed("double_encoded", "signed as a JSON string", JSON.stringify(BODY)),
  received(
    "printed",
    "no-break spaces of a web page",
    text((all) => all.replaceAll(" ", "\u00a0")),
  ),
  fault("a value that a log replaced", "body.truncated likely", {
    body: text((all) => all.replace(/"caf[^"]*"/, '"***"')),
  }),
  signed("base64", "signed as base64", Buffer.from(BODY).toString("base64")),
  signed("charset", "signed as Latin-1", Buffer.from(BODY, "latin1")),
  signed("form_encoded", "signed as a form", new URLSearchParams({ payload: BODY }).toString()),
  signed("empty", "signed without a body", ""),
  signed("data_only", "signed the data alone", BODY.slice(BODY.indexOf('"data":') + 7, -1)),
  received("base64", "base64", Buffer.from(BODY).toString("base64")),
  received("compressed", "still compressed with deflate", deflateSync(BODY), {
    headers: [["Content-Encoding", "deflate"]],
  }),
  received("compressed", "still compressed with deflate without a header", deflateRawSync(BODY), {
    headers: [["Content-Encoding", "deflate"]],
  }),
  received("compressed", "still compressed with brotli", brotliCompressSync(BODY), {
    headers: [["Content-Encoding", "br"]],
  }),
  fault("still compressed, without a decoder", "body.compressed likely", {
    body: gzipSync(BODY),
    more: { decompress: undefined },
  }),
  received("chunked", "in one chunk", `${BYTES.toString(16)}${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`),
  received(
    "chunked",
    "in two chunks",
    `10${CRLF}${BODY.slice(0, 16)}${CRLF}${(BYTES - 16).toString(16)}${CRLF}${BODY.slice(16)}${CRLF}0${CRLF}${CRLF}`,
  ),
  received("charset", "UTF-16 without a byte order mark", UTF16),
  signed("charset", "signed as UTF-16", UTF16),
  signed("percent_encoded", "signed percent-encoded", encodeURIComponent(BODY)),
  received("percent_encoded", "plus signs decoded to spaces", JSON.stringify({ note: "a b", sum: "1 2" }), {
    signature: signAs({ body: JSON.stringify({ note: "a+b", sum: "1+2" }) }),
  }),
  received("html_entities", "HTML entities for quotes alone", BODY.replaceAll('"', "&#34;")),
  signed("html_entities", "signed with HTML entities", escapeHtml(BODY)),
  received("printed", "lines of 76 characters", wrap(BODY, 76, "\n")),
  received("printed", "lines of 80 characters with CRLF", `${wrap(BODY, 80, CRLF)}${CRLF}`),
  received("printed", "hex in uppercase with line ends", `${wrap(HEX.toUpperCase(), 60, "\n")}\n`),
  received("envelope", "an SNS notification", JSON.stringify({ Type: "Notification", Message: BODY })),
  received("envelope", "a batch of SQS", JSON.stringify({ Records: [{ messageId: "1", body: BODY }] })),
  received(
    "envelope",
    "an API Gateway event",
    JSON.stringify({ headers: {}, body: Buffer.from(BODY).toString("base64"), isBase64Encoded: true }),
  ),
  received("envelope", "a field with the JSON itself", `{"received":true,"payload":${BODY}}`),
  received(
    "header_block",
    "headers before the body",
    `Content-Type: application/json${CRLF}X-A: b${CRLF}${CRLF}${BODY}`,
  ),
  received("header_block", "a whole request", `POST /hook HTTP/1.1\nHost: a.example\n\n${BODY}`),
  signed(
    "unicode_normalized",
    "composed characters",
    text((all) => all.normalize("NFD")),
  ),
  fault("signed with sorted keys, the numbers as JavaScript prints them", "body.keys_sorted proved", {
    signature: signAs({ body: withKeysSorted }),
  }),
  received("excess_bytes", "bytes after Content-Length", `${BODY}0\u0000xyz`, length(BYTES)),
  received("first_byte_lost", "without its first byte", BODY.slice(1)),
  received("truncated", "without its last bracket", BODY.slice(0, -1)),
  received("truncated", "without its last brackets", BODY.slice(0, -3)),
  fault("cut in the middle", "body.truncated likely", { body: BODY.slice(0, 60) }),
  fault("cut inside a character", "body.truncated likely", {
    body: Buffer.from(BODY).subarray(0, Buffer.from(BODY).indexOf("\u00e9") + 1),
  }),
  fault("fewer bytes than Content-Length, and no JSON", "body.truncated likely", {
    body: "id=3f0c9a;ty",
    ...length(20),
  }),
  fault("no body", "body.empty likely", { body: "" }),
  fault("U+FFFD in place of a character", "body.replaced_characters likely", {
    body: BODY.replace("\u00e9", "\ufffd"),
  }),
  fault("a form that was converted to JSON", "body.form_encoded likely", {
    body: '{"id":["3f0c9a"]}',
    headers: [["Content-Type", "application/x-www-form-urlencoded"], ...length(9).headers],
  }),
  fault("1.0 printed as 1", "body.number_reprinted likely", {
    body: COMPACT.replace("2.5", "2"),
    ...length(Buffer.byteLength(COMPACT) + 2),
  }),
  fault("an indented body of another length", "body.reserialized likely", {
    body: JSON.stringify(JSON.parse(COMPACT), null, 2),
    ...length(BYTES),
  }),
  received(
    "smart_quotes",
    "typographic quotes",
    text((all) => all.replace(/"([^"]*)"/g, "\u201c$1\u201d")),
  ),
  received("nul_padding", "padded with NUL", `${BODY}${"\0".repeat(9)}`),
  received("printed", "in quotes with backslashes", `'${BODY}'`),
  received(
    "printed",
    "as Node prints an object",
    "{\n  id: '3f0c9a',\n  'a-b': [ { is: true } ],\n  n: null\n}\n",
    {
      signature: signAs({ body: '{"id":"3f0c9a","a-b":[{"is":true}],"n":null}' }),
    },
  ),
  ...["\n", CRLF].flatMap((end) =>
    [
      ["printed", "as Python prints bytes", `b'${BODY.replace("\u00e9", "\\xc3\\xa9")}'`] as const,
      ["printed", "in single quotes", `'${BODY}'`] as const,
      ["printed", "with backslashes", BODY.replaceAll('"', '\\"')] as const,
      ["form_encoded", "a form", new URLSearchParams({ payload: BODY }).toString()] as const,
      ["percent_encoded", "percent-encoded", encodeURIComponent(BODY)] as const,
      ["doubled", "the body twice", BODY + BODY] as const,
    ].map(([id, name, body]) => received(id, `${name}, then ${JSON.stringify(end)}`, body + end)),
  ),
  received(
    "number_reprinted",
    "a number with an exponent, as Java prints it",
    BODY.replace("[1,", "[2.109374E7,"),
    {
      signature: signAs({ body: BODY.replace("[1,", "[21093740,") }),
    },
  ),
  received(
    "number_reprinted",
    "a number of more digits than JavaScript keeps, with an exponent",
    BODY.replace("[1,", "[1.23456789012345678901E21,"),
    { signature: signAs({ body: BODY.replace("[1,", "[1234567890123456789010,") }) },
  ),
  received("number_reprinted", "a fraction with an exponent", BODY.replace("[1,", "[1.25E-5,"), {
    signature: signAs({ body: BODY.replace("[1,", "[0.0000125,") }),
  }),
  received("charset", "UTF-8 read as windows-1252", Buffer.from('{"a":"\u00e2\u201a\u00ac 5"}'), {
    signature: signAs({ body: '{"a":"\u20ac 5"}' }),
  }),
];
