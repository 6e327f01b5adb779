import { createHmac } from "node:crypto";
import { printJson } from "../explain/json-print.ts";
import { type SignInput, sign } from "../signature.ts";
import {
  buildDelivery,
  buildPayload,
  type ProbeDelivery,
  type ProbeInput,
  toUnixSeconds,
} from "./delivery.ts";

/** One thing that a receiver is put to. */
export interface ProbeCase {
  /** What is sent, in a few words. */
  readonly sends: string;
  readonly expects: "accept" | "refuse" | "either";
  /** A rule of the interface decides the exit code; advice is ours and does not. */
  readonly basis: "documented" | "advice";
  /** Where the rule stands, or why the advice is given. */
  readonly source: string;
  /** How often it is sent, where that is not once; the last answer counts. */
  readonly times?: number;
  readonly make: (genuine: ProbeInput) => ProbeDelivery;
}

const citeRule = (number: number): string => `interface §6, rule ${number}`;

/** The raw bytes count, whatever they look like. */
const rawBodyCase = (sends: string, body: (genuine: ProbeInput) => string): ProbeCase => ({
  sends,
  expects: "accept",
  basis: "documented",
  source: citeRule(3),
  make: (genuine) => buildDelivery(genuine, { body: body(genuine) }),
});

const payloadWithData = (text: string) => (genuine: ProbeInput) => buildPayload(genuine, text);

const indentedPayload = (genuine: ProbeInput): string =>
  JSON.stringify(JSON.parse(buildPayload(genuine)), null, 2);

const spacedPayload = (genuine: ProbeInput): string =>
  String(printJson(Buffer.from(buildPayload(genuine)), { space: " ", strings: "python" }));

const rejectedCase = (sends: string, source: string, make: ProbeCase["make"]): ProbeCase => ({
  sends,
  expects: "refuse",
  basis: "documented",
  source,
  make,
});

const signInputOf = (genuine: ProbeInput): SignInput => ({
  secret: genuine.secret,
  timestamp: toUnixSeconds(genuine.now),
  body: buildPayload(genuine),
});

/** A genuine delivery but for its signature. */
const wrongSignatureCase = (
  sends: string,
  source: string,
  signature: (signed: SignInput) => string,
): ProbeCase =>
  rejectedCase(sends, source, (genuine) =>
    buildDelivery(genuine, { signature: signature(signInputOf(genuine)) }),
  );

/** HMAC over any parts: what the documented base string would put a full stop into. */
const hmac = (secret: string, ...parts: readonly (string | Uint8Array)[]): string => {
  const made = createHmac("sha256", secret);
  for (const part of parts) made.update(part);
  return made.digest("hex");
};

/** Hex digits of which a part is right. */
const HALF_OF_DIGITS = 32;

const flipDigits = (digits: string): string => digits.replace(/./g, (digit) => (digit === "0" ? "1" : "0"));

const oldTimestampCase = (sends: string, seconds: number): ProbeCase => ({
  sends,
  expects: "refuse",
  basis: "advice",
  source:
    "judge the age: a recorded delivery can be sent again for as long as nobody does (interface §6, rule 6)",
  make: (genuine) => buildDelivery(genuine, { timestamp: toUnixSeconds(genuine.now - seconds * 1000) }),
});

const MEGABYTE = 1 << 20;

const ROTATED_EVENT = "partner.credential.rotated";
const UNKNOWN_EVENT = "probe.unknown.event";

/** Every case by its stable id, in the order in which they are sent. The README's table is checked against this one. */
export const PROBE_CASES = {
  "raw.compact": rawBodyCase("compact JSON", buildPayload),
  "raw.spaced": rawBodyCase("JSON with spaces after colons and commas", spacedPayload),
  "raw.indented": rawBodyCase("indented JSON", indentedPayload),
  "raw.non_ascii": rawBodyCase(
    "characters beyond ASCII",
    payloadWithData('{"note":"Zo\u00eb \u6d77\u95a2 \u{1f4e6}"}'),
  ),
  "raw.escaped": rawBodyCase(
    "escaped characters",
    payloadWithData('{"note":"caf\\u00e9 \\/ \\u003cb\\u003e"}'),
  ),
  "raw.numbers": rawBodyCase(
    "1.0, 1e2 and a number of 20 digits",
    payloadWithData('{"a":1.0,"b":1e2,"c":12345678901234567890}'),
  ),
  "raw.key_order": rawBodyCase("keys in no order", payloadWithData('{"b":1,"10":2,"2":3,"a":4}')),
  "raw.duplicate_key": rawBodyCase(
    "a key that is there twice",
    payloadWithData('{"note":"one","note":"two"}'),
  ),
  "raw.trailing_newline": rawBodyCase(
    "a line feed after the body",
    (genuine) => `${buildPayload(genuine)}\n`,
  ),
  "raw.crlf": rawBodyCase("indented JSON with CRLF", (genuine) =>
    indentedPayload(genuine).replaceAll("\n", "\r\n"),
  ),

  "header.timestamp_missing": rejectedCase(
    "no timestamp, signed as if it were empty",
    citeRule(4),
    (genuine) => buildDelivery(genuine, { timestamp: null }),
  ),
  "header.signature_missing": rejectedCase("no signature", citeRule(4), (genuine) =>
    buildDelivery(genuine, { signature: null }),
  ),
  "header.timestamp_empty": rejectedCase("an empty timestamp, signed so", citeRule(4), (genuine) =>
    buildDelivery(genuine, { timestamp: "" }),
  ),
  "header.signature_empty": rejectedCase("an empty signature", citeRule(4), (genuine) =>
    buildDelivery(genuine, { signature: "" }),
  ),

  "forged.byte_changed": rejectedCase("one byte changed after signing", citeRule(1), (genuine) => {
    const { headers, body } = buildDelivery(genuine);
    return { headers, body: body.replace('"amount":12', '"amount":13') };
  }),
  "forged.wrong_secret": wrongSignatureCase("signed with another secret", citeRule(2), (signed) =>
    sign({ ...signed, secret: `not ${signed.secret}` }),
  ),
  "forged.empty_key": wrongSignatureCase("signed with an empty key", citeRule(2), (signed) =>
    sign({ ...signed, secret: "" }),
  ),
  "forged.body_only": wrongSignatureCase("a signature over the body alone", citeRule(1), ({ secret, body }) =>
    hmac(secret, body),
  ),
  "forged.no_dot": wrongSignatureCase(
    "a signature over timestamp and body without the full stop",
    citeRule(1),
    ({ secret, timestamp, body }) => hmac(secret, timestamp, body),
  ),
  "forged.other_timestamp": wrongSignatureCase("the signature of another timestamp", citeRule(1), (signed) =>
    sign({ ...signed, timestamp: String(Number(signed.timestamp) - 1) }),
  ),
  "forged.truncated": wrongSignatureCase("the first half of the signature", citeRule(5), (signed) =>
    sign(signed).slice(0, HALF_OF_DIGITS),
  ),
  "forged.beginning": wrongSignatureCase(
    "a signature of which the first half is right",
    citeRule(5),
    (signed) => {
      const right = sign(signed);
      return right.slice(0, HALF_OF_DIGITS) + flipDigits(right.slice(HALF_OF_DIGITS));
    },
  ),
  "forged.longer": wrongSignatureCase(
    "the signature with 8 more digits",
    citeRule(5),
    (signed) => `${sign(signed)}00c0ffee`,
  ),

  "advice.unknown_event": {
    sends: "an event that nobody knows",
    expects: "accept",
    basis: "advice",
    source: "acknowledge what is genuine and not for you: a refusal brings it back until the retries end",
    make: (genuine) => buildDelivery({ ...genuine, event: UNKNOWN_EVENT }),
  },
  "advice.event_differs": {
    sends: "an event header that does not match the payload",
    expects: "refuse",
    basis: "advice",
    source: "the header is not signed: route on it only where the payload says the same",
    make: (genuine) =>
      buildDelivery(genuine, { event: genuine.event === ROTATED_EVENT ? "partner.test" : ROTATED_EVENT }),
  },
  "advice.no_content_type": {
    sends: "no Content-Type",
    expects: "accept",
    basis: "advice",
    source:
      "take the body whatever its type: the interface names three headers, and this is none of them (§6)",
    make: (genuine) => {
      const { headers, body } = buildDelivery(genuine);
      return { headers: headers.filter(([name]) => name !== "Content-Type"), body };
    },
  },
  "advice.large_body": {
    sends: "a body of 1 MB",
    expects: "accept",
    basis: "advice",
    source: "raise the limit: no size is published (interface §8), and frameworks stop at 100 KB unasked",
    make: (genuine) =>
      buildDelivery(genuine, { body: buildPayload(genuine, `{"note":"${"x".repeat(MEGABYTE)}"}`) }),
  },
  "advice.old_10_minutes": oldTimestampCase("a timestamp 10 minutes old", 600),
  "advice.old_1_day": oldTimestampCase("a timestamp 1 day old", 86_400),
  "advice.repeat": {
    sends: "the same event again, as a retry sends it",
    expects: "accept",
    basis: "advice",
    source:
      "answer 2xx to what is done already, and do it once: a refusal brings it back until the retries end",
    times: 2,
    make: (genuine) => buildDelivery(genuine),
  },
  "advice.uppercase": {
    sends: "the signature in capital letters",
    expects: "either",
    basis: "advice",
    source: "nobody sends it: the service writes lower case (interface §6)",
    make: (genuine) => buildDelivery(genuine, { signature: sign(signInputOf(genuine)).toUpperCase() }),
  },
} as const satisfies Record<string, ProbeCase>;

export type CaseId = keyof typeof PROBE_CASES;

/** The ids of all cases, or of those that a word names: a whole id, or the word before its dot. */
export const listCaseIds = (word?: string): readonly CaseId[] => {
  const all = Object.keys(PROBE_CASES) as CaseId[];
  return word === undefined ? all : all.filter((id) => id === word || id.startsWith(`${word}.`));
};

/** A case as any case is: what they differ in is in the table. */
export const getCase = (id: CaseId): ProbeCase => PROBE_CASES[id];
