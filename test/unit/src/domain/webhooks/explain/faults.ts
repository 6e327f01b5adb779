import { createHmac } from "node:crypto";
import { BODY_FAULTS } from "./body-faults.ts";
import { type Fault, fault, SECRET, type Sender, signAs, TIMESTAMP } from "./delivery.ts";

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
  time("reformatted", "nanoseconds", `${TIMESTAMP}120456789`),
  time("reformatted", "a date without a time zone", "2026-11-22 08:08:50"),
  time("changed", "another attempt's timestamp", "1795334949"),
  time("changed", "a timestamp an hour off", "1795338530"),
  time("reformatted", "a timestamp that is not a time", "yesterday"),
  fault("another attempt's timestamp, without a time in the payload", "timestamp.changed proved", {
    body: '{"id":"3f0c9a"}',
    signature: signAs({ body: '{"id":"3f0c9a"}' }),
    timestamp: "1795334949",
  }),
  fault("a float of Python as the timestamp", "timestamp.reformatted proved", {
    signature: signAs({ timestamp: `${TIMESTAMP}.0` }),
  }),
  fault("bytes of Python as the timestamp", "timestamp.reformatted proved", {
    signature: signAs({ timestamp: `b'${TIMESTAMP}'` }),
  }),
  time("reformatted", "a quoted timestamp", `"${TIMESTAMP}"`),
  time("reformatted", "a timestamp with thousands separators", "1,795,334,930"),
  time("reformatted", "a timestamp rounded to an exponent", "1.795E9"),
  time("reformatted", "an HTTP date", "Sun, 22 Nov 2026 08:08:50 GMT"),
  fault("an RFC 3339 time with +00:00 for Z", "timestamp.reformatted proved", {
    timestamp: "2026-11-22T08:08:50+00:00",
    signature: signAs({ timestamp: "2026-11-22T08:08:50Z" }),
  }),
  signedTime("reformatted", "RFC 3339 signed", "2026-11-22T08:08:50.000Z"),
  signedTime("missing", "an empty timestamp signed", ""),
  signedTime("reformatted", "the payload's text signed", "2026-11-22T08:08:50.120Z"),
  time("reformatted", "a space before the timestamp", ` ${TIMESTAMP}`),
  ...["X_Service_Timestamp", "Timestamp"].map((name) => named("timestamp", name)),
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
  fault("the prefix in uppercase, beside the endpoint's secretPrefix", "secret.altered proved", {
    secret: SECRET.replace("whsec_", "WHSEC_"),
    more: { secretPrefix: SECRET.slice(0, 12) },
  }),
  stored("altered", "an export with several secrets", `A: whsec_other=\nB: \u201c${SECRET}\u201d\n`),
  fault("the secret of another endpoint", "secret.other_endpoint likely", {
    secret: "whsec_another-endpoint-000000000000000000000000",
    more: { secretPrefix: SECRET.slice(0, 12) },
  }),
  stored("altered", "a byte order mark before the secret", `\ufeff${SECRET}`),
  stored("whitespace", "a line feed in the secret", `${SECRET.slice(0, 20)}\n${SECRET.slice(20)}`),
  stored("altered", "quotes around the secret", `"${SECRET}"`),
  stored("altered", "the secret as xxd -p prints it", `${Buffer.from(SECRET).toString("hex")}\n`),
  stored("base64_encoded", "the secret as Kubernetes shows it", Buffer.from(SECRET).toString("base64")),
  stored("altered", "a line of a .env file", `WEBHOOK_SECRET=${SECRET}`),
  stored(
    "altered",
    "the response of the create route",
    JSON.stringify({ id: "4b1f", signingSecret: SECRET }),
  ),
  fault("a variable that was not replaced", "secret.placeholder likely", { secret: `\${WEBHOOK_SECRET}` }),
  fault("the secretPrefix in place of the secret", "secret.prefix_only likely", {
    secret: SECRET.slice(0, 12),
  }),
  keyed("transformed", "the key decoded from base64", Buffer.from(SECRET.slice(6), "base64")),
  keyed("empty", "an empty key", ""),
  keyed("whitespace", "signed with a line feed", `${SECRET}\n`),
  fault("the key decoded from hex", "secret.transformed proved", {
    secret: HEX_SECRET,
    signature: signAs({ key: Buffer.from(HEX_SECRET, "hex") }),
  }),
  fault("a secret like an API key", "secret.wrong_credential likely", { secret: "sk_sandbox_0123456789" }),
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
  ...["X-Webhook-Signature", "X-Service-Signature-256"].map((name) => named("signature", name)),
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
  fault("the parameters of another scheme (RFC 9421)", "signature.missing proved", {
    signature: null,
    headers: [["Signature-Input", `sig1=("@method" "@path");created=${TIMESTAMP}`]],
  }),
  digits("doubled", "the same value twice", (hex) => `${hex},${hex}`),
  digits("encoding", "0x before the digits", (hex) => `0x${hex}`),
  digits("encoding", "base64 for URLs", (hex) => Buffer.from(hex, "hex").toString("base64url")),
  fault("63 digits, of which the last is another one", "", {
    signature: signAs().slice(0, 62) + (signAs()[62] === "0" ? "1" : "0"),
  }),
  digits("copied", "the last digit lost", (hex) => hex.slice(0, 63)),
  ...[40, 128].map((count) =>
    fault(`${count} digits of something else`, "signature.algorithm likely", {
      signature: "0".repeat(count),
    }),
  ),
  sender("body.constant", "the words [object Object] in place of the body", { body: "[object Object]" }),
  fault("the HMAC of the HMAC", "signature.algorithm proved", {
    signature: createHmac("sha256", SECRET).update(signAs()).digest("hex"),
  }),
];

const BASE_STRINGS: readonly Fault[] = [
  sender("base.different", "a colon", { base: (at, body) => Buffer.concat([Buffer.from(`${at}:`), body]) }),
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
];

/** One fault each: what it is, and every cause that the explanation names. */
export const FAULTS: readonly Fault[] = [
  ...TIMESTAMPS,
  ...BODY_FAULTS,
  ...SECRETS,
  ...SIGNATURES,
  ...BASE_STRINGS,
];
