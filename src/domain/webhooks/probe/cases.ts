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

const documentedCase = (
  expects: ProbeCase["expects"],
  rule: number,
  sends: string,
  make: ProbeCase["make"],
): ProbeCase => ({ sends, expects, basis: "documented", source: `interface §6, rule ${rule}`, make });

/** How a case differs from others of its kind. */
type CaseFlags = Omit<Partial<ProbeCase>, "sends" | "make">;

const advisedCase = (
  expects: ProbeCase["expects"],
  sends: string,
  source: string,
  make: ProbeCase["make"],
  flags: CaseFlags = {},
): ProbeCase => ({ sends, expects, basis: "advice", source, make, ...flags });

/** A genuine delivery of an unusual body. */
const rawBody = (sends: string, body: (input: ProbeInput) => string): ProbeCase =>
  documentedCase("accept", 3, sends, (input) => buildDelivery(input, { body: body(input) }));

const rawData = (sends: string, data: string): ProbeCase =>
  rawBody(sends, (input) => buildPayload(input, data));

/** A genuine delivery of a body that arrives in two parts, split after the first byte of a character. */
const splitBody = (sends: string, data: string, character: string): ProbeCase =>
  documentedCase("accept", 3, sends, (input) => {
    const delivery = buildDelivery(input, { body: buildPayload(input, data) });
    // Everything before the character is ASCII.
    return { ...delivery, splitAt: delivery.body.indexOf(character) + 1 };
  });

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
const sequence = (sends: string, source: string, make: ProbeCase["make"], flags: CaseFlags = {}): ProbeCase =>
  advisedCase("accept", sends, source, make, { basis: "assumed", ...flags });

/** Two attempts never have the same timestamp: a signature identifies an attempt, not an event. */
const repeatEvent = (input: ProbeInput): readonly (readonly ProbeDelivery[])[] => [
  [buildDelivery(input, { timestamp: secondsBefore(input, 2) })],
  [buildDelivery(input)],
];

/** An event that occurred some time ago, signed now. */
const oldEvent = (input: ProbeInput, seconds: number): ProbeDelivery =>
  buildDelivery(input, { body: buildPayload({ ...input, now: input.now - seconds * 1000 }) });

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

const UNKNOWN_EVENT = "probe.unknown.event";

/** Every case by its stable id, in the order of sending. The reference has the same table. */
export const PROBE_CASES = {
  "raw.compact": rawBody("compact JSON", buildPayload),
  "raw.spaced": rawBody("JSON with spaces after colons and commas", spacedPayload),
  "raw.indented": rawBody("indented JSON", indentedPayload),
  "raw.non_ascii": rawData("non-ASCII characters", '{"note":"Zo\u00eb \u6d77\u95a2 \u{1f4e6}"}'),
  "raw.escaped": rawData("escaped characters", '{"note":"caf\\u00e9 \\/ \\u003cb\\u003e"}'),
  "raw.numbers": rawData("1.0, 1e2 and a number of 20 digits", '{"a":1.0,"b":1e2,"c":12345678901234567890}'),
  "raw.key_order": rawData("unsorted keys", '{"b":1,"10":2,"2":3,"a":4}'),
  "raw.duplicate_key": rawData("a duplicate key", '{"note":"one","note":"two"}'),
  "raw.percent": rawData(
    "a percent sign, a plus sign and percent-encoding",
    '{"note":"100%25 a+b %7B%22Zo%C3%AB%22%7D"}',
  ),
  "raw.decomposed": rawData("a decomposed character", '{"note":"Zoe\u0308"}'),
  "raw.trailing_newline": rawBody("a line feed after the body", (input) => `${buildPayload(input)}\n`),
  "raw.crlf": rawBody("indented JSON with CRLF", (input) => indentedPayload(input).replaceAll("\n", "\r\n")),
  "raw.two_parts": splitBody("a body in two parts", '{"note":"Noel"}', "N"),
  "raw.split_character": splitBody(
    "a body in two parts, split inside a character",
    '{"note":"No\u00ebl"}',
    "\u00eb",
  ),

  "timestamp.exact": documentedCase("accept", 1, "a delivery signed 2 s ago", (input) =>
    buildDelivery(input, { timestamp: secondsBefore(input, 2) }),
  ),

  "header.timestamp_missing": badHeader("no timestamp; signed with an empty one", { timestamp: null }),
  "header.signature_missing": badHeader("no signature", { signature: () => null }),
  "header.timestamp_empty": badHeader("an empty timestamp; signed with it", { timestamp: "" }),
  "header.signature_empty": badHeader("an empty signature", { signature: () => "" }),

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
  "forged.end": forgedCase("a signature with a correct last half", 5, (signed) =>
    sign(signed).replace(/^.{32}/, flipDigits),
  ),
  "forged.unknown_event": {
    ...documentedCase("reject", 2, "an unknown event, signed with another secret", (input) =>
      buildDelivery({ ...input, event: UNKNOWN_EVENT, secret: `not ${input.secret}` }),
    ),
    source: "interface §6: route on X-Service-Event only after the signature is verified",
  },
  "forged.longer": forgedCase("the signature with 8 more digits", 5, (signed) => `${sign(signed)}00c0ffee`),

  "advice.unknown_event": advisedCase(
    "accept",
    "an unknown event",
    "accept genuine events that you do not handle: the service sends a rejected one again until its retries end",
    (input) => buildDelivery({ ...input, event: UNKNOWN_EVENT }),
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
  "advice.forged_broken_json": advisedCase(
    "reject",
    "broken JSON, signed with another secret",
    "verify before you parse: another status than for a forged delivery with valid JSON shows that the body is parsed first (interface §6, rule 3)",
    (input) => buildDelivery({ ...input, secret: `not ${input.secret}` }, { body: '{"data":' }),
    { sameStatusAs: "forged.wrong_secret" },
  ),
  "advice.old_20_seconds": advisedCase(
    "accept",
    "a timestamp 20 s old",
    "sign the timestamp of the header, and allow for a slow network: a receiver that rejects this signs its own clock, or refuses what is 20 s old (interface §6, rule 6)",
    (input) => buildDelivery(input, { timestamp: secondsBefore(input, 20) }),
  ),
  "advice.timestamp_milliseconds": advisedCase(
    "either",
    "a timestamp in milliseconds",
    "the interface does not show the format of the timestamp (§6)",
    (input) => buildDelivery(input, { timestamp: String(input.now) }),
  ),
  "advice.old_10_minutes": oldTimestamp("a timestamp 10 minutes old", 600),
  "advice.old_1_day": oldTimestamp("a timestamp 1 day old", 86_400),
  "advice.future_10_minutes": oldTimestamp("a timestamp 10 minutes in the future", -600),
  "advice.uppercase": advisedCase(
    "reject",
    "the signature in uppercase",
    "compare with the header as it is: the service writes lowercase (interface §6), and never sends this",
    (input) => buildDelivery(input, { signature: (signed) => sign(signed).toUpperCase() }),
  ),

  "sequence.repeat": sequence(
    "an event, and the same event again, as in a retry",
    "respond 2xx to an event that you have processed: the service sends a rejected one again until its retries end",
    repeatEvent,
  ),
  "sequence.at_once": sequence(
    "one event twice at once, as to two endpoints with one URL",
    "verify with the secrets of all endpoints of the URL, and respond 2xx to an event that is in progress",
    (input) => [
      [input.secret, input.secondSecret ?? input.secret].map((secret) => buildDelivery({ ...input, secret })),
    ],
  ),
  "sequence.late_retry": sequence(
    "an event of three days ago, signed now, as in the last retries",
    "check the age of X-Service-Timestamp, which is new in every attempt, and not of a time in the payload",
    (input) => oldEvent(input, 259_200),
  ),
  "sequence.out_of_order": sequence(
    "an event, then one that occurred a minute before it",
    "respond 2xx to an event that is older than another one, and ignore it if it is of no use any more",
    (input) => [[buildDelivery(input)], [oldEvent({ ...input, id: `${input.id}-before` }, 60)]],
  ),
  "sequence.rotation": sequence(
    "events that are signed with the old secret and with the new one, in turn",
    "verify with a list of secrets, and remove the old one after the rotation",
    ({ secondSecret = "", ...input }) =>
      [input.secret, secondSecret, input.secret, secondSecret].map((secret, index) => [
        buildDelivery({ ...input, id: `${input.id}-${index}`, secret }),
      ]),
    { needsSecondSecret: true },
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
