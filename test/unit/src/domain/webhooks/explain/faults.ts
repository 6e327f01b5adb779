import { createHash, createHmac } from "node:crypto";
import { BODY_FAULTS } from "./body-faults.ts";
import { BODY, type Fault, fault, SECRET, type Sender, signAs, TIMESTAMP } from "./delivery.ts";

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

const TIMESTAMPS: readonly Fault[] = [
  time("reformatted", "microseconds", `${TIMESTAMP}120456`),
  time("reformatted", "nanoseconds", `${TIMESTAMP}120456789`),
  time("reformatted", "a date without a time zone", "2026-11-22 08:08:50"),
  time("changed", "another attempt's timestamp", "1795334949"),
  time("changed", "a timestamp an hour off", "1795338530"),
  time("changed", "a timestamp of a zone without daylight saving", "1795327730"),
  time("reformatted", "a timestamp that is not a time", "yesterday"),
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
  signedTime("reformatted", "milliseconds signed", `${TIMESTAMP}000`),
  signedTime("missing", "an empty timestamp signed", ""),
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
const HEX_SECRET = "00ff10aa".repeat(8);
const CANDIDATES = [
  ["api_key", "wrong_credential"],
  ["client_secret", "wrong_credential"],
  ["other_endpoint", "other_endpoint"],
  ["other_environment", "other_environment"],
  ["older", "older"],
] as const;

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
  keyed("transformed", "the key decoded from base64", Buffer.from(SECRET.slice(6), "base64")),
  keyed("empty", "an empty key", ""),
  keyed("whitespace", "signed with a line feed", `${SECRET}\n`),
  keyed("prefix_dropped", "signed without its prefix", SECRET.slice(6)),
  fault("the key decoded from hex", "secret.transformed proved", {
    secret: HEX_SECRET,
    signature: signAs({ key: Buffer.from(HEX_SECRET, "hex") }),
  }),
  fault("a secret like an API key", "secret.wrong_credential likely", { secret: "sk_sandbox_0123456789" }),
  fault("a secret like a client's", "secret.wrong_credential likely", { secret: "cs_sandbox_0123456789" }),
  fault("an empty secret", "secret.empty likely", { secret: "" }),
  ...CANDIDATES.map(([kind, cause]) =>
    fault(`the candidate ${kind}`, `secret.${cause} proved`, {
      signature: signAs({ key: "the-other-one" }),
      more: { candidateSecrets: [{ kind, secret: "the-other-one" }] },
    }),
  ),
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
  fault("63 digits, of which the last is another one", "", {
    signature: signAs().slice(0, 62) + (signAs()[62] === "0" ? "1" : "0"),
  }),
  digits("copied", "the last digit lost", (hex) => hex.slice(0, 63)),
  fault("20 digits of something else", "", { signature: "0123456789abcdef0123" }),
  ...[40, 128].map((count) =>
    fault(`${count} digits of something else`, "signature.algorithm likely", {
      signature: "0".repeat(count),
    }),
  ),
  sender("body.constant", "the words [object Object] in place of the body", { body: "[object Object]" }),
  sender("signature.algorithm", "HMAC-SHA1", { algorithm: "sha1" }),
  sender("signature.algorithm", "HMAC-SHA512", { algorithm: "sha512" }),
  fault("SHA-256 without a key", "signature.algorithm proved", {
    signature: createHash("sha256").update(`${TIMESTAMP}.${BODY}`).digest("hex"),
  }),
  fault("SHA-256 of secret and base string", "signature.algorithm proved", {
    signature: createHash("sha256").update(`${SECRET}${TIMESTAMP}.${BODY}`).digest("hex"),
  }),
  fault("the HMAC of the HMAC", "signature.algorithm proved", {
    signature: createHmac("sha256", SECRET).update(signAs()).digest("hex"),
  }),
  fault("key and message swapped", "signature.algorithm proved", {
    signature: createHmac("sha256", `${TIMESTAMP}.${BODY}`).update(SECRET).digest("hex"),
  }),
];

const BASE_STRINGS: readonly Fault[] = [
  sender("base.different", "the body without the timestamp", { base: (_, body) => body }),
  sender("base.different", "no full stop", { base: (at, body) => Buffer.concat([Buffer.from(at), body]) }),
  sender("base.different", "a colon", {
    base: (at, body) => Buffer.concat([Buffer.from(`${at}:`), body]),
  }),
  sender("base.different", "a line feed", {
    base: (at, body) => Buffer.concat([Buffer.from(`${at}\n`), body]),
  }),
  sender("base.different", "the body first", {
    base: (at, body) => Buffer.concat([body, Buffer.from(`.${at}`)]),
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
  ...BODY_FAULTS,
  ...SECRETS,
  ...SIGNATURES,
  ...BASE_STRINGS,
];
