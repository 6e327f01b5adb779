import { createHmac } from "node:crypto";
import { printJson } from "../explain/json-print.ts";
import { type Signing, sign } from "../signature.ts";
import { delivery, type Genuine, type ProbeDelivery, payload, secondsAt } from "./delivery.ts";

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
  readonly make: (genuine: Genuine) => ProbeDelivery;
}

const rule = (number: number): string => `interface §6, rule ${number}`;

/** The raw bytes count, whatever they look like. */
const raw = (sends: string, body: (genuine: Genuine) => string): ProbeCase => ({
  sends,
  expects: "accept",
  basis: "documented",
  source: rule(3),
  make: (genuine) => delivery(genuine, { body: body(genuine) }),
});

const data = (text: string) => (genuine: Genuine) => payload(genuine, text);

const indented = (genuine: Genuine): string => JSON.stringify(JSON.parse(payload(genuine)), null, 2);

const spaced = (genuine: Genuine): string =>
  String(printJson(Buffer.from(payload(genuine)), { space: " ", strings: "python" }));

const refused = (sends: string, source: string, make: ProbeCase["make"]): ProbeCase => ({
  sends,
  expects: "refuse",
  basis: "documented",
  source,
  make,
});

const signedOf = (genuine: Genuine): Signing => ({
  secret: genuine.secret,
  timestamp: secondsAt(genuine.now),
  body: payload(genuine),
});

/** A genuine delivery but for its signature. */
const signedAs = (sends: string, source: string, signature: (signed: Signing) => string): ProbeCase =>
  refused(sends, source, (genuine) => delivery(genuine, { signature: signature(signedOf(genuine)) }));

/** HMAC over any parts: what the documented base string would put a full stop into. */
const hmac = (secret: string, ...parts: readonly (string | Uint8Array)[]): string => {
  const made = createHmac("sha256", secret);
  for (const part of parts) made.update(part);
  return made.digest("hex");
};

/** Hex digits of which a part is right. */
const HALF = 32;

const otherDigits = (digits: string): string => digits.replace(/./g, (digit) => (digit === "0" ? "1" : "0"));

const aged = (sends: string, seconds: number): ProbeCase => ({
  sends,
  expects: "refuse",
  basis: "advice",
  source:
    "judge the age: a recorded delivery can be sent again for as long as nobody does (interface §6, rule 6)",
  make: (genuine) => delivery(genuine, { timestamp: secondsAt(genuine.now - seconds * 1000) }),
});

const MEGABYTE = 1 << 20;

const ROTATED = "partner.credential.rotated";
const UNKNOWN = "probe.unknown.event";

/** Every case by its stable id, in the order in which they are sent. The README's table is checked against this one. */
export const PROBE_CASES = {
  "raw.compact": raw("compact JSON", payload),
  "raw.spaced": raw("JSON with spaces after colons and commas", spaced),
  "raw.indented": raw("indented JSON", indented),
  "raw.non_ascii": raw("characters beyond ASCII", data('{"note":"Zo\u00eb \u6d77\u95a2 \u{1f4e6}"}')),
  "raw.escaped": raw("escaped characters", data('{"note":"caf\\u00e9 \\/ \\u003cb\\u003e"}')),
  "raw.numbers": raw(
    "1.0, 1e2 and a number of 20 digits",
    data('{"a":1.0,"b":1e2,"c":12345678901234567890}'),
  ),
  "raw.key_order": raw("keys in no order", data('{"b":1,"10":2,"2":3,"a":4}')),
  "raw.duplicate_key": raw("a key that is there twice", data('{"note":"one","note":"two"}')),
  "raw.trailing_newline": raw("a line feed after the body", (genuine) => `${payload(genuine)}\n`),
  "raw.crlf": raw("indented JSON with CRLF", (genuine) => indented(genuine).replaceAll("\n", "\r\n")),

  "header.timestamp_missing": refused("no timestamp, signed as if it were empty", rule(4), (genuine) =>
    delivery(genuine, { timestamp: null }),
  ),
  "header.signature_missing": refused("no signature", rule(4), (genuine) =>
    delivery(genuine, { signature: null }),
  ),
  "header.timestamp_empty": refused("an empty timestamp, signed so", rule(4), (genuine) =>
    delivery(genuine, { timestamp: "" }),
  ),
  "header.signature_empty": refused("an empty signature", rule(4), (genuine) =>
    delivery(genuine, { signature: "" }),
  ),

  "forged.byte_changed": refused("one byte changed after signing", rule(1), (genuine) => {
    const { headers, body } = delivery(genuine);
    return { headers, body: body.replace('"amount":12', '"amount":13') };
  }),
  "forged.wrong_secret": signedAs("signed with another secret", rule(2), (signed) =>
    sign({ ...signed, secret: `not ${signed.secret}` }),
  ),
  "forged.empty_key": signedAs("signed with an empty key", rule(2), (signed) =>
    sign({ ...signed, secret: "" }),
  ),
  "forged.body_only": signedAs("a signature over the body alone", rule(1), ({ secret, body }) =>
    hmac(secret, body),
  ),
  "forged.no_dot": signedAs(
    "a signature over timestamp and body without the full stop",
    rule(1),
    ({ secret, timestamp, body }) => hmac(secret, timestamp, body),
  ),
  "forged.other_timestamp": signedAs("the signature of another timestamp", rule(1), (signed) =>
    sign({ ...signed, timestamp: String(Number(signed.timestamp) - 1) }),
  ),
  "forged.truncated": signedAs("the first half of the signature", rule(5), (signed) =>
    sign(signed).slice(0, HALF),
  ),
  "forged.beginning": signedAs("a signature of which the first half is right", rule(5), (signed) => {
    const right = sign(signed);
    return right.slice(0, HALF) + otherDigits(right.slice(HALF));
  }),
  "forged.longer": signedAs(
    "the signature with 8 more digits",
    rule(5),
    (signed) => `${sign(signed)}00c0ffee`,
  ),

  "advice.unknown_event": {
    sends: "an event that nobody knows",
    expects: "accept",
    basis: "advice",
    source: "acknowledge what is genuine and not for you: a refusal brings it back until the retries end",
    make: (genuine) => delivery({ ...genuine, event: UNKNOWN }),
  },
  "advice.event_differs": {
    sends: "an event header that does not match the payload",
    expects: "refuse",
    basis: "advice",
    source: "the header is not signed: route on it only where the payload says the same",
    make: (genuine) => delivery(genuine, { event: genuine.event === ROTATED ? "partner.test" : ROTATED }),
  },
  "advice.no_content_type": {
    sends: "no Content-Type",
    expects: "accept",
    basis: "advice",
    source:
      "take the body whatever its type: the interface names three headers, and this is none of them (§6)",
    make: (genuine) => {
      const { headers, body } = delivery(genuine);
      return { headers: headers.filter(([name]) => name !== "Content-Type"), body };
    },
  },
  "advice.large_body": {
    sends: "a body of 1 MB",
    expects: "accept",
    basis: "advice",
    source: "raise the limit: no size is published (interface §8), and frameworks stop at 100 KB unasked",
    make: (genuine) => delivery(genuine, { body: payload(genuine, `{"note":"${"x".repeat(MEGABYTE)}"}`) }),
  },
  "advice.old_10_minutes": aged("a timestamp 10 minutes old", 600),
  "advice.old_1_day": aged("a timestamp 1 day old", 86_400),
  "advice.repeat": {
    sends: "the same event again, as a retry sends it",
    expects: "accept",
    basis: "advice",
    source:
      "answer 2xx to what is done already, and do it once: a refusal brings it back until the retries end",
    times: 2,
    make: (genuine) => delivery(genuine),
  },
  "advice.uppercase": {
    sends: "the signature in capital letters",
    expects: "either",
    basis: "advice",
    source: "nobody sends it: the service writes lower case (interface §6)",
    make: (genuine) => delivery(genuine, { signature: sign(signedOf(genuine)).toUpperCase() }),
  },
} as const satisfies Record<string, ProbeCase>;

export type CaseId = keyof typeof PROBE_CASES;

/** The ids of all cases, or of those that a word names: a whole id, or the word before its dot. */
export const caseIds = (word?: string): readonly CaseId[] => {
  const all = Object.keys(PROBE_CASES) as CaseId[];
  return word === undefined ? all : all.filter((id) => id === word || id.startsWith(`${word}.`));
};

/** A case as any case is: what they differ in is in the table. */
export const caseOf = (id: CaseId): ProbeCase => PROBE_CASES[id];
