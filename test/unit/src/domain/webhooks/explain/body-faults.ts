import { deflateRawSync, gzipSync } from "node:zlib";
import { BODY, type Fault, fault, received, signAs, signed, TIMESTAMP } from "./delivery.ts";

const length = (bytes: number) => ({ headers: [["Content-Length", String(bytes)] as const] });
const BYTES = Buffer.byteLength(BODY);
const wrap = (all: string, width: number, end: string): string =>
  (all.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []).join(end);
const CRLF = "\r\n";
const HEX = Buffer.from(BODY).toString("hex");
const LINES = `{\n  "id": "3f0c9a",\n  "n": 1.0\n}\n`;
const ofLines = (name: string, body: string, signedAs = LINES): Fault =>
  fault(name, "body.line_endings proved", { body, signature: signAs({ body: signedAs }) });
const escapeHtml = (all: string): string =>
  all.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
/** Doubles as each language prints them: with a decimal, with an exponent, or with neither. */
const AMOUNTS = '{"n":7,"a":1250.00,"b":12500000.00,"c":1e3,"d":1E16,"e":0.00001,"t":"1.50 \u00e9"}';
const ofAmounts = (language: string, printed: string, id = "reserialized"): Fault =>
  fault(`amounts signed as ${language} prints them`, `body.${id} proved`, {
    body: AMOUNTS,
    signature: signAs({ body: printed }),
  });
const COMPACT = JSON.stringify(JSON.parse(BODY));

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
  ofLines("CR in place of CRLF", LINES.replaceAll("\n", "\r"), LINES.replaceAll("\n", CRLF)),
  received("surrounded", "the base string in place of the body", `${TIMESTAMP}.${BODY}`),
  received("trailing_newline", "CRLF added", `${BODY}${CRLF}`),
  signed("trailing_newline", "CRLF lost", `${BODY}${CRLF}`),
  received("bom", "a byte order mark added", `\ufeff${BODY}`),
  signed("bom", "a byte order mark lost", `\ufeff${BODY}`),
  received("trimmed", "white space around it added", `  ${BODY} \n`),
  signed("trimmed", "a space after it lost", `${BODY} `),
  signed("reserialized", "signed as JavaScript prints it, 1.0 as 1", JSON.stringify(JSON.parse(BODY))),
  ofAmounts(
    "Python",
    '{"n": 7, "a": 1250.0, "b": 12500000.0, "c": 1000.0, "d": 1e+16, "e": 1e-05, "t": "1.50 \\u00e9"}',
  ),
  ofAmounts(
    "Python with sort_keys",
    '{"a": 1250.0, "b": 12500000.0, "c": 1000.0, "d": 1e+16, "e": 1e-05, "n": 7, "t": "1.50 \\u00e9"}',
    "keys_sorted",
  ),
  fault("amounts signed as Java and Ruby print them", "body.reserialized proved", {
    body: '{"a":1250.00,"b":0.10,"t":"1.50 \u00e9"}',
    signature: signAs({ body: '{"a":1250.0,"b":0.1,"t":"1.50 \u00e9"}' }),
  }),
  fault("amounts in a map signed as Go prints it", "body.keys_sorted proved", {
    body: '{"note":"<b>","amount":1250.00}',
    signature: signAs({ body: '{"amount":1250,"note":"\\u003cb\\u003e"}' }),
  }),
  signed("double_encoded", "signed as a JSON string", JSON.stringify(BODY)),
  signed("charset", "signed as Latin-1", Buffer.from(BODY, "latin1")),
  signed("empty", "signed without a body", ""),
  signed("data_only", "signed the data alone", BODY.slice(BODY.indexOf('"data":') + 7, -1)),
  received("compressed", "still compressed with deflate without a header", deflateRawSync(BODY), {
    headers: [["Content-Encoding", "deflate"]],
  }),
  fault("still compressed, without a decoder", "body.compressed likely", {
    body: gzipSync(BODY),
    more: { decompress: undefined },
  }),
  received(
    "chunked",
    "in two chunks",
    `10${CRLF}${BODY.slice(0, 16)}${CRLF}${(BYTES - 16).toString(16)}${CRLF}${BODY.slice(16)}${CRLF}0${CRLF}${CRLF}`,
  ),
  received("charset", "UTF-16 without a byte order mark", Buffer.from(BODY, "utf16le")),
  signed("html_entities", "signed with HTML entities", escapeHtml(BODY)),
  received("printed", "lines of 76 characters", wrap(BODY, 76, "\n")),
  received("printed", "hex in uppercase with line ends", `${wrap(HEX.toUpperCase(), 60, "\n")}\n`),
  received("envelope", "an SNS notification", JSON.stringify({ Type: "Notification", Message: BODY })),
  received(
    "envelope",
    "an API Gateway event",
    JSON.stringify({ headers: {}, body: Buffer.from(BODY).toString("base64"), isBase64Encoded: true }),
  ),
  received("envelope", "a field with the JSON itself", `{"received":true,"payload":${BODY}}`),
  received("excess_bytes", "bytes after Content-Length", `${BODY}0\u0000xyz`, length(BYTES)),
  fault("without its last bracket", "body.truncated likely", { body: BODY.slice(0, -1) }),
  fault("cut inside a character", "body.truncated likely", {
    body: Buffer.from(BODY).subarray(0, Buffer.from(BODY).indexOf("\u00e9") + 1),
  }),
  fault("no body", "body.empty likely", { body: "" }),
  fault("1.0 printed as 1", "body.number_reprinted likely", {
    body: COMPACT.replace("2.5", "2"),
    ...length(Buffer.byteLength(COMPACT) + 2),
  }),
  fault("1.0 and 2.5 printed as 1 and 2, beside a URL", "body.number_reprinted likely", {
    body: '{"a":1,"b":2,"url":"https://x.example/?q=1"}',
    signature: signAs({ key: "whsec_unknown" }),
    ...length(48),
  }),
  fault("the repr of bytes of Python", "body.dump proved", {
    body: '{"a":"it\'s \u00fc","b":"\\n"}\n',
    signature: signAs({ body: String.raw`b'{"a":"it\'s \xc3\xbc","b":"\\n"}\n'` }),
  }),
  fault("a map that Encoder.Encode of Go printed", "body.keys_sorted proved", {
    body: '{"b":"<","a":1.0}',
    signature: signAs({ body: '{"a":1,"b":"\\u003c"}\n' }),
  }),
  fault("an indented body with a line end, printed as json.dumps does", "body.reserialized proved", {
    body: '{"a": 1, "b": [2]}',
    signature: signAs({ body: '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n' }),
  }),
  fault("an indented body of another length", "body.reserialized likely", {
    body: JSON.stringify(JSON.parse(COMPACT), null, 2),
    ...length(BYTES),
  }),
  received("nul_padding", "padded with NUL", `${BODY}${"\0".repeat(9)}`),
  received(
    "printed",
    "as Node prints an object",
    "{\n  id: '3f0c9a',\n  'a-b': [ { is: true } ],\n  n: null\n}\n",
    { signature: signAs({ body: '{"id":"3f0c9a","a-b":[{"is":true}],"n":null}' }) },
  ),
  received("charset", "UTF-8 read as windows-1252", Buffer.from('{"a":"\u00e2\u201a\u00ac 5"}'), {
    signature: signAs({ body: '{"a":"\u20ac 5"}' }),
  }),
];
