import { createHash, createHmac } from "node:crypto";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { decompress } from "../../../../../../src/cli/commands/webhooks/input-formats/containers.ts";
import type { ExplainInput } from "../../../../../../src/signature.ts";

export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
/** 2026-11-22T08:08:50Z. As in the sandbox, the first attempt is signed in the second of `createdAt`. */
const TIMESTAMP = "1795334930";
const BODY =
  '{"id":"3f0c9a","type":"partner.test","environment":"sandbox","createdAt":"2026-11-22T08:08:50.120Z","data":{"note":"caf\u00e9 & <b> a/b + 100%","amount":1.0,"list":[],"nested":{"n":[1,2.50]}}}';

/** A delivery that verifies, unless a fault changes it. */
export interface Delivery {
  readonly secret: string;
  readonly timestamp: string | null;
  readonly signature: string | null;
  readonly body: Buffer;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly more: Partial<ExplainInput>;
}

interface Sender {
  readonly key?: string | Buffer;
  readonly timestamp?: string;
  readonly body?: string | Buffer;
  readonly base?: (timestamp: string, body: Buffer) => string | Buffer;
  readonly algorithm?: string;
  readonly encode?: (digest: Buffer) => string;
}

/** The signature header of a sender that differs from interface §6 in these points. */
export function signAs({
  key = SECRET,
  timestamp = TIMESTAMP,
  body = BODY,
  base = (time, bytes) => Buffer.concat([Buffer.from(`${time}.`), bytes]),
  algorithm = "sha256",
  encode = (digest) => digest.toString("hex"),
}: Sender = {}): string {
  return encode(
    createHmac(algorithm, key)
      .update(base(timestamp, Buffer.from(body)))
      .digest(),
  );
}

export const GENUINE: Delivery = {
  secret: SECRET,
  timestamp: TIMESTAMP,
  signature: signAs(),
  body: Buffer.from(BODY),
  headers: [],
  more: {},
};

export function toInput({ secret, timestamp, signature, body, headers, more }: Delivery): ExplainInput {
  return {
    secrets: [secret],
    headers: [
      ...(timestamp === null ? [] : [["X-Service-Timestamp", timestamp] as const]),
      ...(signature === null ? [] : [["X-Service-Signature", signature] as const]),
      ...headers,
    ],
    body,
    decompress,
    ...more,
  };
}

export interface Fault {
  readonly name: string;
  readonly delivery: Delivery;
  /** All causes that are named, as `id certainty`. */
  readonly causes: readonly string[];
}

const fault = (
  name: string,
  causes: string | readonly string[],
  change: Partial<Omit<Delivery, "body">> & { readonly body?: string | Buffer },
): Fault => ({
  name,
  causes: typeof causes === "string" ? (causes === "" ? [] : [causes]) : causes,
  delivery: { ...GENUINE, ...change, body: Buffer.from(change.body ?? BODY) },
});

/** The receiver has the body in another form. */
const received = (id: string, name: string, body: string | Buffer, more: Partial<Delivery> = {}): Fault =>
  fault(name, `body.${id} proved`, { ...more, body });
/** The sender signed the body in another form. */
const signed = (id: string, name: string, body: string | Buffer): Fault =>
  fault(name, `body.${id} proved`, { signature: signAs({ body }) });
const keyed = (id: string, name: string, key: string | Buffer): Fault =>
  fault(name, `secret.${id} proved`, { signature: signAs({ key }) });
const stored = (id: string, name: string, secret: string): Fault =>
  fault(name, `secret.${id} proved`, { secret });
const time = (id: string, name: string, timestamp: string): Fault =>
  fault(name, `timestamp.${id} proved`, { timestamp });
const signedTime = (id: string, name: string, timestamp: string): Fault =>
  fault(name, `timestamp.${id} proved`, { signature: signAs({ timestamp }) });
const digits = (id: string, name: string, change: (hex: string) => string): Fault =>
  fault(name, `signature.${id} proved`, { signature: change(signAs()) });
const sender = (id: string, name: string, how: Sender): Fault =>
  fault(name, `${id} proved`, { signature: signAs(how) });
/** Interface §6 needs both headers; here they have other names. */
const named = (kind: "timestamp" | "signature", name: string): Fault =>
  fault(`the ${kind} in ${name}`, `${kind}.header_name proved`, {
    [kind]: null,
    headers: [[name, kind === "timestamp" ? TIMESTAMP : signAs()]],
  });

const text = (change: (text: string) => string): string => change(BODY);
const length = (bytes: number) => ({ headers: [["Content-Length", String(bytes)] as const] });
const BYTES = Buffer.byteLength(BODY);
const wrap = (all: string, width: number, end: string): string =>
  (all.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []).join(end);
const utf16 = (all: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(all, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};
const CRLF = "\r\n";
const HEX = Buffer.from(BODY).toString("hex");
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
const SORTED =
  '{"createdAt":"2026-11-22T08:08:50.120Z","data":{"amount":1.0,"list":[],"nested":{"n":[1,2.50]},"note":"caf\u00e9 & <b> a/b + 100%"},"environment":"sandbox","id":"3f0c9a","type":"partner.test"}';
const withKeysSorted = JSON.stringify(sortKeys(JSON.parse(BODY)));

const TIMESTAMPS: readonly Fault[] = [
  time("reformatted", "microseconds", `${TIMESTAMP}120456`),
  time("reformatted", "nanoseconds", `${TIMESTAMP}120456789`),
  time("reformatted", "a date without a time zone", "2026-11-22 08:08:50"),
  time("changed", "another attempt's timestamp", "1795334949"),
  time("changed", "a timestamp an hour off", "1795338530"),
  time("changed", "a timestamp of a zone without daylight saving", "1795327730"),
  time("changed", "a timestamp that is not a time", "yesterday"),
  fault("another attempt's timestamp, without a time in the payload", "timestamp.changed proved", {
    body: '{"id":"3f0c9a"}',
    signature: signAs({ body: '{"id":"3f0c9a"}' }),
    timestamp: "1795334949",
  }),
  time("reformatted", "a quoted timestamp", `"${TIMESTAMP}"`),
  time("reformatted", "a timestamp with thousands separators", "1,795,334,930"),
  time("reformatted", "a timestamp with dots between thousands", "1.795.334.930"),
  time("reformatted", "a timestamp as a decimal number", `${TIMESTAMP}.0`),
  time("reformatted", "a timestamp with an exponent", "1.79533493E9"),
  time("reformatted", "a timestamp rounded to an exponent", "1.795E9"),
  time("reformatted", "an HTTP date", "Sun, 22 Nov 2026 08:08:50 GMT"),
  fault("an RFC 3339 time with +00:00 for Z", "timestamp.reformatted proved", {
    timestamp: "2026-11-22T08:08:50+00:00",
    signature: signAs({ timestamp: "2026-11-22T08:08:50Z" }),
  }),
  fault("an RFC 3339 time without its milliseconds", "timestamp.reformatted proved", {
    timestamp: "2026-11-22T08:08:50Z",
    signature: signAs({ timestamp: "2026-11-22T08:08:50.000Z" }),
  }),
  fault("a percent-encoded time", "timestamp.reformatted proved", {
    timestamp: "2026-11-22T08%3A08%3A50Z",
    signature: signAs({ timestamp: "2026-11-22T08:08:50Z" }),
  }),
  time("reformatted", "milliseconds", `${TIMESTAMP}000`),
  time("reformatted", "RFC 3339 in the header", "2026-11-22T08:08:50Z"),
  signedTime("reformatted", "RFC 3339 signed", "2026-11-22T08:08:50.000Z"),
  signedTime("reformatted", "the payload's text signed", "2026-11-22T08:08:50.120Z"),
  time("reformatted", "a space before the timestamp", ` ${TIMESTAMP}`),
  fault("no timestamp", "timestamp.missing proved", { timestamp: null }),
  ...["X_Service_Timestamp", "X-Timestamp", "X-Webhook-Timestamp", "Timestamp"].map((name) =>
    named("timestamp", name),
  ),
  fault("another time in X-Timestamp, and the payload's signed", "timestamp.missing proved", {
    timestamp: null,
    headers: [["X-Timestamp", "1700000000"]],
  }),
  fault("X-Timestamp, and only the body signed", ["base.different proved", "timestamp.missing proved"], {
    timestamp: null,
    signature: signAs({ base: (_, body) => body }),
    headers: [["X-Timestamp", TIMESTAMP]],
  }),
];

const BODIES: readonly Fault[] = [
  received(
    "printed",
    "the bytes of a Buffer, as JSON.stringify prints it",
    JSON.stringify(Buffer.from(BODY)),
  ),
  ...["[object Object]", "map[id:3f0c9a type:partner.test]", "{id=3f0c9a, type=partner.test}"].map((body) =>
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
  received("bom", "a byte order mark added", `\ufeff${BODY}`),
  received("double_encoded", "JSON in a JSON string", JSON.stringify(BODY)),
  received(
    "printed",
    "bytes as cat -v writes them",
    text((all) => all.replace("\u00e9", "M-CM-)")),
  ),
  received(
    "printed",
    "no-break spaces of a web page",
    text((all) => all.replaceAll(" ", "\u00a0")),
  ),
  fault("a value that a log replaced", "body.truncated likely", {
    body: text((all) => all.replace(/"caf[^"]*"/, '"***"')),
  }),
  sender("body.dump", "the words [object Object] in place of the body", { body: "[object Object]" }),
  sender("base.different", "the word undefined in place of the timestamp", { timestamp: "undefined" }),
  received("base64", "base64", Buffer.from(BODY).toString("base64")),
  received("compressed", "still compressed with gzip", gzipSync(BODY)),
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
  received("charset", "UTF-16 with a byte order mark", utf16(`\ufeff${BODY}`, false)),
  received("charset", "UTF-16 without a byte order mark", utf16(BODY, false)),
  received("charset", "big-endian UTF-16 with a byte order mark", utf16(`\ufeff${BODY}`, true)),
  signed("charset", "signed as UTF-16", utf16(BODY, false)),
  received("percent_encoded", "percent-encoded", encodeURIComponent(BODY)),
  signed("percent_encoded", "signed percent-encoded", encodeURIComponent(BODY)),
  received("percent_encoded", "plus signs decoded to spaces", JSON.stringify({ note: "a b", sum: "1 2" }), {
    signature: signAs({ body: JSON.stringify({ note: "a+b", sum: "1+2" }) }),
  }),
  received("form_encoded", "a form", new URLSearchParams({ payload: BODY }).toString()),
  received("html_entities", "HTML entities", escapeHtml(BODY)),
  received("html_entities", "HTML entities for quotes alone", BODY.replaceAll('"', "&#34;")),
  signed("html_entities", "signed with HTML entities", escapeHtml(BODY)),
  received("printed", "lines of 76 characters", wrap(BODY, 76, "\n")),
  received("printed", "lines of 80 characters with CRLF", `${wrap(BODY, 80, CRLF)}${CRLF}`),
  received("printed", "hex", HEX),
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
  received(
    "unicode_normalized",
    "decomposed characters",
    text((all) => all.normalize("NFD")),
  ),
  signed(
    "unicode_normalized",
    "composed characters",
    text((all) => all.normalize("NFD")),
  ),
  fault("signed with sorted keys", "body.keys_sorted proved", { signature: signAs({ body: SORTED }) }),
  fault("signed with sorted keys, the numbers as JavaScript prints them", "body.keys_sorted proved", {
    signature: signAs({ body: withKeysSorted }),
  }),
  received("doubled", "the body twice", BODY + BODY),
  received("excess_bytes", "bytes after Content-Length", `${BODY}0\u0000xyz`, length(BYTES)),
  received("first_byte_lost", "without its first byte", BODY.slice(1)),
  received("truncated", "without its last bracket", BODY.slice(0, -1)),
  received("truncated", "without its last brackets", BODY.slice(0, -3)),
  fault("cut in the middle", "body.truncated likely", { body: BODY.slice(0, 60) }),
  received(
    "smart_quotes",
    "typographic quotes",
    text((all) => all.replace(/"([^"]*)"/g, "\u201c$1\u201d")),
  ),
  received("nul_padding", "padded with NUL", `${BODY}${"\0".repeat(9)}`),
  received("printed", "as Python prints bytes", `b'${BODY.replace("\u00e9", "\\xc3\\xa9")}'`),
  received("printed", "in quotes with backslashes", `'${BODY}'`),
  received("printed", "with a backslash before each quote", BODY.replaceAll('"', '\\"')),
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
  received("number_reprinted", "a fraction with an exponent", BODY.replace("[1,", "[1.25E-5,"), {
    signature: signAs({ body: BODY.replace("[1,", "[0.0000125,") }),
  }),
  fault("? for characters that are not ASCII", "body.replaced_characters likely", {
    body: BODY.replace("\u00e9", "?"),
    ...length(BYTES),
  }),
  fault("without its null fields", "body.fields_dropped likely", {
    signature: signAs({ body: BODY.replace("{", '{"note":null,') }),
    ...length(BYTES + '"note":null,'.length),
  }),
  received("charset", "UTF-8 read as windows-1252", Buffer.from('{"a":"\u00e2\u201a\u00ac 5"}'), {
    signature: signAs({ body: '{"a":"\u20ac 5"}' }),
  }),
];

const SECRETS: readonly Fault[] = [
  stored("altered", "the prefix in uppercase", SECRET.replace("whsec_", "WHSEC_")),
  fault("the prefix in uppercase, beside the endpoint's secretPrefix", "secret.altered proved", {
    secret: SECRET.replace("whsec_", "WHSEC_"),
    more: { secretPrefix: SECRET.slice(0, 12) },
  }),
  fault("the secret of another endpoint", "secret.other_endpoint likely", {
    secret: "whsec_another-endpoint-000000000000000000000000",
    more: { secretPrefix: SECRET.slice(0, 12) },
  }),
  stored("altered", "a byte order mark before the secret", `\ufeff${SECRET}`),
  stored("altered", "a zero-width space in the secret", `${SECRET}\u200b`),
  stored("altered", "a no-break space after the secret", `${SECRET}\u00a0`),
  stored("whitespace", "a line feed after the secret", `${SECRET}\n`),
  stored("whitespace", "a line feed in the secret", `${SECRET.slice(0, 20)}\n${SECRET.slice(20)}`),
  stored("altered", "quotes around the secret", `"${SECRET}"`),
  stored("altered", "the angle brackets of a manual around the secret", `<${SECRET}>`),
  stored("base64_encoded", "the secret as Kubernetes shows it", Buffer.from(SECRET).toString("base64")),
  fault(
    "the secret with a line feed as Kubernetes shows it",
    ["secret.base64_encoded proved", "secret.whitespace proved"],
    { secret: Buffer.from(`${SECRET}\n`).toString("base64") },
  ),
  fault("a secret whose end is masked", "secret.placeholder likely", {
    secret: `${SECRET.slice(0, 10)}${"*".repeat(12)}`,
  }),
  stored("prefix_dropped", "without its prefix", SECRET.slice(6)),
  stored("altered", "a line of a .env file", `WEBHOOK_SECRET=${SECRET}`),
  stored("altered", "an exported variable in quotes", `export WEBHOOK_SECRET="${SECRET}"\n`),
  stored("altered", "a YAML line", `webhook_secret: ${SECRET}\n`),
  stored("altered", "a JSON object", JSON.stringify({ signingSecret: SECRET })),
  stored(
    "altered",
    "the response of the create route",
    JSON.stringify({ id: "4b1f", signingSecret: SECRET }),
  ),
  stored(
    "altered",
    "an endpoint as JSON, with its secretPrefix",
    JSON.stringify({ secretPrefix: SECRET.slice(0, 10), signingSecret: SECRET }),
  ),
  stored("altered", "the secret twice", SECRET + SECRET),
  fault("plus signs of a secret that became spaces", "secret.altered proved", {
    secret: "PvQ3WT0 JCK7ipMc17NUkxwT7H1/r8bMqEv9ktKsahU=",
    signature: signAs({ key: "PvQ3WT0+JCK7ipMc17NUkxwT7H1/r8bMqEv9ktKsahU=" }),
  }),
  fault("a secret in hex without its first digit", "secret.altered proved", {
    secret: "16ddb9204e0e77e82b5e7bf7b590a00e55110ae309f5c9dfef824b22eedb10",
    signature: signAs({ key: "516ddb9204e0e77e82b5e7bf7b590a00e55110ae309f5c9dfef824b22eedb10" }),
  }),
  stored("altered", "the secret and another line", `${SECRET}\nwhsec_older\n`),
  stored("altered", "a comment before the secret", `# webhook\n${SECRET}\n`),
  fault("the secret percent-encoded", "secret.altered proved", {
    secret: "whsec_a%2Bb%2Fc%3D%3D0000000000000000",
    signature: signAs({ key: "whsec_a+b/c==0000000000000000" }),
  }),
  fault("a variable that was not replaced", "secret.placeholder likely", { secret: `\${WEBHOOK_SECRET}` }),
  fault("a template that was not filled in", "secret.placeholder likely", {
    secret: "<your signing secret>",
  }),
  fault("the secretPrefix in place of the secret", "secret.prefix_only likely", {
    secret: SECRET.slice(0, 12),
  }),
  keyed("transformed", "the key as hex", Buffer.from(SECRET).toString("hex")),
  keyed("transformed", "the SHA-256 of the secret as key", createHash("sha256").update(SECRET).digest()),
  keyed("transformed", "the SHA-256 in hex as key", createHash("sha256").update(SECRET).digest("hex")),
  keyed("transformed", "the key decoded from base64", Buffer.from(SECRET.slice(6), "base64")),
  keyed("empty", "an empty key", ""),
];

const SIGNATURES: readonly Fault[] = [
  named("signature", "X_Service_Signature"),
  named("signature", "HTTP_X_SERVICE_SIGNATURE"),
  named("signature", "X-Service-Signatur"),
  ...["X-Webhook-Signature", "X-Signature", "Signature", "X-Service-Sig", "X-Service-Signature-256"].map(
    (name) => named("signature", name),
  ),
  fault(
    "GitHub's header, after the one with SHA-1",
    ["signature.encoding proved", "signature.header_name proved"],
    {
      signature: null,
      headers: [
        ["X-Hub-Signature", `sha1=${signAs({ algorithm: "sha1", key: "other" })}`],
        ["X-Hub-Signature-256", `sha256=${signAs()}`],
      ],
    },
  ),
  fault("both headers under other names", ["signature.header_name proved", "timestamp.header_name proved"], {
    timestamp: null,
    signature: null,
    headers: [
      ["X-Signature-Version", "1"],
      ["X-Signature-Timestamp", TIMESTAMP],
      ["X-Signature", signAs()],
    ],
  }),
  fault("the signature without its timestamp, and the time of a proxy", "timestamp.missing proved", {
    timestamp: null,
    headers: [["X-Request-Timestamp", "1795132811"]],
  }),
  fault("the parameters of another scheme (RFC 9421)", "signature.missing proved", {
    signature: null,
    headers: [["Signature-Input", `sig1=("@method" "@path");created=${TIMESTAMP}`]],
  }),
  fault("X-Signature of another secret", "signature.missing proved", {
    signature: null,
    headers: [["X-Signature", signAs({ key: "other" })]],
  }),
  fault("the version of a signature alone", "signature.missing proved", {
    signature: null,
    headers: [["X-Signature-Version", "1"]],
  }),
  digits("doubled", "the same value twice", (hex) => `${hex},${hex}`),
  digits("doubled", "the same value twice with a space", (hex) => `${hex}, ${hex}`),
  digits("encoding", "timestamp and signature in one header", (hex) => `t=${TIMESTAMP},v1=${hex}`),
  digits("encoding", "0x before the digits", (hex) => `0x${hex}`),
  digits("encoding", "sha256= before the digits", (hex) => `sha256=${hex}`),
  digits("encoding", "pairs of digits with colons", (hex) => hex.match(/../g)?.join(":") ?? ""),
  digits("encoding", "pairs of digits with hyphens", (hex) => hex.match(/../g)?.join("-") ?? ""),
  digits("encoding", "hex of the hex digits", (hex) => Buffer.from(hex).toString("hex")),
  digits("copied", "groups of 8 digits with spaces", (hex) => hex.match(/.{8}/g)?.join(" ") ?? ""),
  digits("encoding", "the word Signature before it", (hex) => `Signature ${hex}`),
  digits("encoding", "an algorithm with spaces before it", (hex) => `hmac sha256 = ${hex}`),
  digits("copied", "bytes as Python prints them", (hex) => `b'${hex}'`),
  digits("encoding", "the signature in uppercase", (hex) => hex.toUpperCase()),
  digits("encoding", "the signature in base64", (hex) => Buffer.from(hex, "hex").toString("base64")),
  digits("encoding", "base64 for URLs", (hex) => Buffer.from(hex, "hex").toString("base64url")),
  digits("encoding", "base64 of the hex digits", (hex) => Buffer.from(hex).toString("base64")),
  digits("copied", "the first half", (hex) => hex.slice(0, 32)),
  digits("copied", "white space around it", (hex) => ` ${hex}`),
  fault("no signature", "signature.missing proved", { signature: null }),
  fault("32 digits of something else", "signature.algorithm likely", {
    signature: "0123456789abcdef".repeat(2),
  }),
  fault("63 digits, of which the last is another one", "", {
    signature: signAs().slice(0, 62) + (signAs()[62] === "0" ? "1" : "0"),
  }),
  digits("copied", "the last digit lost", (hex) => hex.slice(0, 63)),
  fault("20 digits of something else", "", { signature: "0123456789abcdef0123" }),
  fault("40 digits of something else", "signature.algorithm likely", { signature: "0".repeat(40) }),
  sender("signature.algorithm", "HMAC-MD5", { algorithm: "md5" }),
  sender("signature.algorithm", "HMAC-SHA1", { algorithm: "sha1" }),
  sender("signature.algorithm", "HMAC-SHA384", { algorithm: "sha384" }),
  sender("signature.algorithm", "HMAC-SHA512", { algorithm: "sha512" }),
  fault("SHA-256 without a key", "signature.algorithm proved", {
    signature: createHash("sha256").update(`${TIMESTAMP}.${BODY}`).digest("hex"),
  }),
  fault("SHA-256 of secret and base string", "signature.algorithm proved", {
    signature: createHash("sha256").update(`${SECRET}${TIMESTAMP}.${BODY}`).digest("hex"),
  }),
  fault("key and message swapped", "signature.algorithm proved", {
    signature: createHmac("sha256", `${TIMESTAMP}.${BODY}`).update(SECRET).digest("hex"),
  }),
  fault("the HMAC of the HMAC", "signature.algorithm proved", {
    signature: createHmac("sha256", SECRET).update(signAs()).digest("hex"),
  }),
];

const BASE_STRINGS: readonly Fault[] = [
  sender("base.different", "the body without the timestamp", { base: (_, body) => body }),
  sender("base.different", "no full stop", { base: (at, body) => Buffer.concat([Buffer.from(at), body]) }),
  sender("base.different", "a colon", {
    base: (at, body) => Buffer.concat([Buffer.from(`${at}:`), body]),
  }),
  sender("base.different", "Slack's base string", {
    base: (at, body) => Buffer.concat([Buffer.from(`v0:${at}:`), body]),
  }),
  fault("Svix's base string with a webhook-id", "base.different proved", {
    headers: [["webhook-id", "msg_2abc"]],
    signature: signAs({ base: (at, body) => Buffer.concat([Buffer.from(`msg_2abc.${at}.`), body]) }),
  }),
  fault("GitHub's scheme", ["base.different proved", "signature.encoding proved"], {
    signature: `sha256=${signAs({ base: (_, body) => body })}`,
  }),
];

/** One fault each: what it is, and every cause that the explanation names. */
export const FAULTS: readonly Fault[] = [
  ...TIMESTAMPS,
  ...BODIES,
  ...SECRETS,
  ...SIGNATURES,
  ...BASE_STRINGS,
];
