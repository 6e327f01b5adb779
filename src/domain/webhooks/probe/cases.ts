import { hmacSha256 } from "../hmac.ts";
import { type SignInput, sign } from "../signature.ts";
import {
  buildDelivery,
  buildPayload,
  indentedPayload,
  type ProbeCase,
  type ProbeDelivery,
  type ProbeInput,
  secondsBefore,
  spacedPayload,
} from "./probe-case.ts";

type MakeOne = (input: ProbeInput) => ProbeDelivery;

const documentedCase = (
  expects: ProbeCase["expects"],
  rule: number,
  sends: string,
  make: MakeOne,
): ProbeCase => ({
  sends,
  expects,
  basis: "documented",
  source: `interface §6, rule ${rule}`,
  make: (input) => [make(input)],
});

const advisedCase = (
  expects: ProbeCase["expects"],
  sends: string,
  source: string,
  make: MakeOne,
): ProbeCase => ({ sends, expects, basis: "advice", source, make: (input) => [make(input)] });

/** A genuine delivery of an unusual body. */
const rawBody = (sends: string, body: (input: ProbeInput) => string): ProbeCase =>
  documentedCase("accept", 3, sends, (input) => buildDelivery(input, { body: body(input) }));

const rawData = (sends: string, data: string): ProbeCase =>
  rawBody(sends, (input) => buildPayload(input, data));

/** A genuine delivery of a body that arrives in two parts, split after the first byte of a character. */
function splitBody(input: ProbeInput): ProbeDelivery {
  const delivery = buildDelivery(input, { body: buildPayload(input, '{"note":"No\u00ebl"}') });
  // Everything before the character is ASCII.
  return { ...delivery, splitAt: delivery.body.indexOf("\u00eb") + 1 };
}

const badHeader = (sends: string, overrides: Parameters<typeof buildDelivery>[1]): ProbeCase =>
  documentedCase("reject", 4, sends, (input) => buildDelivery(input, overrides));

/** A genuine delivery except for its signature. */
const forgedCase = (sends: string, rule: number, signature: (signed: SignInput) => string): ProbeCase =>
  documentedCase("reject", rule, sends, (input) => buildDelivery(input, { signature }));

const flipDigits = (digits: string): string => digits.replace(/./g, (digit) => (digit === "0" ? "1" : "0"));

const oldTimestamp = (sends: string, seconds: number): ProbeCase =>
  advisedCase(
    "reject",
    sends,
    "check the age: otherwise anyone can send a recorded delivery again at any time (interface §6, rule 6)",
    (input) => buildDelivery(input, { timestamp: secondsBefore(input, seconds) }),
  );

/** A situation that a receiver meets in production and rarely in a test. */
const sequence = (sends: string, source: string, make: ProbeCase["make"]): ProbeCase => ({
  sends,
  expects: "accept",
  basis: "assumed",
  source,
  make,
});

/** Two attempts never have the same timestamp: a signature identifies an attempt, not an event. */
const repeatEvent = (input: ProbeInput): readonly ProbeDelivery[] => [
  buildDelivery(input, { timestamp: secondsBefore(input, 2) }),
  buildDelivery(input),
];

const THREE_DAYS_MS = 259_200_000;

/** As large as a report of a few hundred rows, in the letters that events have. */
const LARGE_DATA = JSON.stringify({
  rows: Array.from({ length: 1_500 }, (_, row) => ({
    entryNumber: `ABC-${1_000_000 + row}-${row % 10}`,
    classification: row % 3 === 0 ? "eligible, protest filed" : "not liquidated",
    amountCents: 12_345 + row,
    importer: "Harbor & Pine Trading, LLC",
  })),
});

const ROTATED_EVENT = "partner.credential.rotated";

/** Every case by its stable id, in the order of sending. The reference has the same table. */
export const PROBE_CASES = {
  "raw.compact": rawBody("compact JSON", buildPayload),
  "raw.spaced": rawBody("JSON with spaces after colons and commas", spacedPayload),
  "raw.indented": rawBody("indented JSON", indentedPayload),
  "raw.non_ascii": rawData("non-ASCII characters", '{"note":"Zo\u00eb \u6d77\u95a2 \u{1f4e6}"}'),
  "raw.escaped": rawData("escaped characters", '{"note":"caf\\u00e9 \\/ \\u003cb\\u003e"}'),
  "raw.numbers": rawData("1.0, 1e2 and a number of 20 digits", '{"a":1.0,"b":1e2,"c":12345678901234567890}'),
  "raw.trailing_newline": rawBody("a line feed after the body", (input) => `${buildPayload(input)}\n`),
  "raw.crlf": rawBody("indented JSON with CRLF", (input) => indentedPayload(input).replaceAll("\n", "\r\n")),
  "raw.split_character": documentedCase(
    "accept",
    3,
    "a body in two parts, split inside a character",
    splitBody,
  ),

  "timestamp.exact": documentedCase("accept", 1, "a delivery signed 2 s ago", (input) =>
    buildDelivery(input, { timestamp: secondsBefore(input, 2) }),
  ),

  "header.timestamp_missing": badHeader("no timestamp; signed with an empty one", { timestamp: null }),
  "header.signature_missing": badHeader("no signature", { signature: () => null }),

  "forged.byte_changed": documentedCase("reject", 1, "one byte changed after signing", (input) => {
    const { headers, body } = buildDelivery(input);
    return { headers, body: body.replace('"amount":12', '"amount":13') };
  }),
  "forged.wrong_secret": forgedCase("signed with another secret", 2, (signed) =>
    sign({ ...signed, secret: `not ${signed.secret}` }),
  ),
  "forged.empty_key": forgedCase("signed with an empty key", 2, (signed) => sign({ ...signed, secret: "" })),
  "forged.body_only": forgedCase("a signature of the body without the timestamp", 1, ({ secret, body }) =>
    hmacSha256(secret, [body]),
  ),
  "forged.no_dot": forgedCase(
    "a signature of timestamp and body without the full stop",
    1,
    ({ secret, timestamp, body }) => hmacSha256(secret, [timestamp, body]),
  ),
  "forged.other_timestamp": documentedCase(
    "reject",
    1,
    "the timestamp set 20 s back after signing",
    (input) =>
      buildDelivery(input, {
        timestamp: secondsBefore(input, 20),
        signature: (signed) => sign({ ...signed, timestamp: secondsBefore(input, 0) }),
      }),
  ),
  "forged.truncated": forgedCase("the first half of the signature", 5, (signed) =>
    sign(signed).replace(/.{32}$/, ""),
  ),
  "forged.beginning": forgedCase("a signature with a correct first half", 5, (signed) =>
    sign(signed).replace(/.{32}$/, flipDigits),
  ),

  "advice.unknown_event": advisedCase(
    "accept",
    "an unknown event",
    "accept genuine events that you do not handle: the service sends a rejected one again until its retries end",
    (input) => buildDelivery({ ...input, event: "probe.unknown.event" }),
  ),
  "advice.event_differs": advisedCase(
    "either",
    "an event header that does not match the payload",
    "the header is not signed: use it only if it matches the payload",
    (input) =>
      buildDelivery(input, { event: input.event === ROTATED_EVENT ? "partner.test" : ROTATED_EVENT }),
  ),
  "advice.large_body": advisedCase(
    "accept",
    `a body of ${Math.round(LARGE_DATA.length / 1_000)} kB`,
    "raise the size limit: interface §8 publishes none, and the default of most frameworks is 100 kB",
    (input) => buildDelivery(input, { body: buildPayload(input, LARGE_DATA) }),
  ),
  "advice.old_10_minutes": oldTimestamp("a timestamp 10 minutes old", 600),
  "advice.future_10_minutes": oldTimestamp("a timestamp 10 minutes in the future", -600),

  "sequence.repeat": sequence(
    "an event, and the same event again, as in a retry",
    "respond 2xx to an event that you have processed: the service sends a rejected one again until its retries end",
    repeatEvent,
  ),
  "sequence.late_retry": sequence(
    "an event of three days ago, signed now, as in the last retries",
    "check the age of X-Service-Timestamp, which is new in every attempt, and not of a time in the payload",
    (input) => [buildDelivery(input, { body: buildPayload({ ...input, now: input.now - THREE_DAYS_MS }) })],
  ),
} as const satisfies Record<string, ProbeCase>;

export type CaseId = keyof typeof PROBE_CASES;

const CASE_IDS = Object.keys(PROBE_CASES) as CaseId[];

/** All ids, or those of a kind. */
export const listCaseIds = (kind?: string): readonly CaseId[] =>
  kind === undefined ? CASE_IDS : CASE_IDS.filter((id) => id.startsWith(`${kind}.`));

/** The simplest genuine delivery. A receiver that does not accept it shows nothing else. */
export const CONTROL_CASE = "raw.compact" satisfies CaseId;

/** Widens the type of the table's row. */
export const getCase = (id: CaseId): ProbeCase => PROBE_CASES[id];
