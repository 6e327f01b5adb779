import type { HeaderList } from "../../http-headers.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { hmacSha256 } from "../hmac.ts";
import { type SignInput, sign } from "../signature.ts";

export interface ProbeInput {
  /** The secret that the receiver verifies with. */
  readonly secret: string;
  readonly event: string;
  /** The id of the event, which is new: a receiver can ignore an event that it knows. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ProbeDelivery {
  readonly headers: HeaderList;
  /** Sent as UTF-8. */
  readonly body: string;
}

/** Differences from a genuine delivery; null leaves a header out. */
interface DeliveryOverrides {
  readonly body?: string;
  readonly event?: string;
  readonly timestamp?: string | null;
  readonly signature?: (signed: SignInput) => string | null;
}

/** Unix seconds, as the sandbox sends: interface §6 does not show the format. */
export const secondsBefore = ({ now }: ProbeInput, seconds: number): string =>
  String(Math.floor(now / 1000) - seconds);

export function buildDelivery(input: ProbeInput, overrides: DeliveryOverrides = {}): ProbeDelivery {
  const { body = buildPayload(input), event = input.event, signature = sign } = overrides;
  const { timestamp = secondsBefore(input, 0) } = overrides;
  const headers = [
    ["Content-Type", "application/json"],
    [EVENT_HEADER, event],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, signature({ secret: input.secret, timestamp: timestamp ?? "", body })],
  ] as const;
  return {
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    body,
  };
}

/**
 * A compact payload with sorted keys, so that a printer that sorts keys does not change it.
 *
 * @param data the JSON text of its data field
 */
function buildPayload({ event, id, now }: ProbeInput, data = '{"amount":12,"note":"probe"}'): string {
  const text = JSON.stringify;
  const createdAt = new Date(now).toISOString();
  return `{"createdAt":${text(createdAt)},"data":${data},"environment":"sandbox","id":${text(id)},"type":${text(event)}}`;
}

const indentedPayload = (input: ProbeInput): string =>
  JSON.stringify(JSON.parse(buildPayload(input)), null, 2);

interface ProbeCase {
  readonly sends: string;
  readonly expects: "accept" | "reject" | "either";
  /** A documented rule decides the exit code; an assumption and our advice do not. */
  readonly basis: "documented" | "assumed" | "advice";
  /** The rule in the interface, or the reason for the advice. */
  readonly source: string;
  /** One delivery, or several that are sent one after the other. */
  readonly make: (input: ProbeInput) => ProbeDelivery | readonly ProbeDelivery[];
}

const withBasis =
  (basis: ProbeCase["basis"]) =>
  (expects: ProbeCase["expects"], sends: string, source: string, make: ProbeCase["make"]): ProbeCase => ({
    sends,
    expects,
    basis,
    source,
    make,
  });
const documented = withBasis("documented");
const advised = withBasis("advice");
/** A situation that a receiver meets in production and rarely in a test. */
const assumed = withBasis("assumed");

const accepts = (rule: number, sends: string, make: ProbeCase["make"]): ProbeCase =>
  documented("accept", sends, `interface §6, rule ${rule}`, make);
const rejects = (rule: number, sends: string, make: ProbeCase["make"]): ProbeCase =>
  documented("reject", sends, `interface §6, rule ${rule}`, make);

/** A genuine delivery of an unusual body. */
const rawBody = (sends: string, body: (input: ProbeInput) => string): ProbeCase =>
  accepts(3, sends, (input) => buildDelivery(input, { body: body(input) }));

/** A genuine delivery except for its signature. */
const forged = (rule: number, sends: string, signature: (signed: SignInput) => string): ProbeCase =>
  rejects(rule, sends, (input) => buildDelivery(input, { signature }));

function changeByte(input: ProbeInput): ProbeDelivery {
  const { headers, body } = buildDelivery(input);
  return { headers, body: body.replace('"amount":12', '"amount":13') };
}

function changeTimestamp(input: ProbeInput): ProbeDelivery {
  const signature = (signed: SignInput) => sign({ ...signed, timestamp: secondsBefore(input, 0) });
  return buildDelivery(input, { timestamp: secondsBefore(input, 20), signature });
}

const CHECK_AGE =
  "check the age: otherwise anyone can send a recorded delivery again at any time (interface §6, rule 6)";
const oldTimestamp = (sends: string, seconds: number): ProbeCase =>
  advised("reject", sends, CHECK_AGE, (input) =>
    buildDelivery(input, { timestamp: secondsBefore(input, seconds) }),
  );

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
// biome-ignore format: a table, one case a line
export const PROBE_CASES = {
  "raw.compact": rawBody("compact JSON", (input) => buildPayload(input)),
  "raw.spaced": rawBody("JSON with spaces after colons and commas", (input) => buildPayload(input).replaceAll('":', '": ').replaceAll(',"', ', "')),
  "raw.indented": rawBody("indented JSON", indentedPayload),
  "raw.non_ascii": rawBody("non-ASCII characters", (input) => buildPayload(input, '{"note":"Zo\u00eb \u6d77\u95a2 \u{1f4e6}"}')),
  "raw.escaped": rawBody("escaped characters", (input) => buildPayload(input, '{"note":"caf\\u00e9 \\/ \\u003cb\\u003e"}')),
  "raw.numbers": rawBody("1.0, 1e2 and a number of 20 digits", (input) => buildPayload(input, '{"a":1.0,"b":1e2,"c":12345678901234567890}')),
  "raw.trailing_newline": rawBody("a line feed after the body", (input) => `${buildPayload(input)}\n`),
  "raw.crlf": rawBody("indented JSON with CRLF", (input) => indentedPayload(input).replaceAll("\n", "\r\n")),
  "timestamp.exact": accepts(1, "a delivery signed 2 s ago", (input) => buildDelivery(input, { timestamp: secondsBefore(input, 2) })),
  "header.timestamp_missing": rejects(4, "no timestamp; signed with an empty one", (input) => buildDelivery(input, { timestamp: null })),
  "header.signature_missing": rejects(4, "no signature", (input) => buildDelivery(input, { signature: () => null })),
  "forged.byte_changed": rejects(1, "one byte changed after signing", changeByte),
  "forged.wrong_secret": forged(2, "signed with another secret", (signed) => sign({ ...signed, secret: `not ${signed.secret}` })),
  "forged.empty_key": forged(2, "signed with an empty key", (signed) => sign({ ...signed, secret: "" })),
  "forged.body_only": forged(1, "a signature of the body without the timestamp", ({ secret, body }) => hmacSha256(secret, [body])),
  "forged.no_dot": forged(1, "a signature of timestamp and body without the full stop", ({ secret, timestamp, body }) => hmacSha256(secret, [timestamp, body])),
  "forged.other_timestamp": rejects(1, "the timestamp set 20 s back after signing", changeTimestamp),
  "forged.truncated": forged(5, "the first half of the signature", (signed) => sign(signed).replace(/.{32}$/, "")),
  "forged.beginning": forged(5, "a signature with a correct first half", (signed) => sign(signed).replace(/.{32}$/, (half) => half.replace(/./g, (digit) => (digit === "0" ? "1" : "0")))),
  "advice.unknown_event": advised("accept", "an unknown event", "accept genuine events that you do not handle: the service sends a rejected one again until its retries end", (input) => buildDelivery({ ...input, event: "probe.unknown.event" })),
  "advice.event_differs": advised("either", "an event header that does not match the payload", "the header is not signed: use it only if it matches the payload", (input) => buildDelivery(input, { event: input.event === ROTATED_EVENT ? "partner.test" : ROTATED_EVENT })),
  "advice.large_body": advised("accept", `a body of ${Math.round(LARGE_DATA.length / 1_000)} kB`, "raise the size limit: interface §8 publishes none, and the default of most frameworks is 100 kB", (input) => buildDelivery(input, { body: buildPayload(input, LARGE_DATA) })),
  "advice.old_10_minutes": oldTimestamp("a timestamp 10 minutes old", 600),
  "advice.future_10_minutes": oldTimestamp("a timestamp 10 minutes in the future", -600),
  "sequence.repeat": assumed("accept", "an event, and the same event again, as in a retry", "respond 2xx to an event that you have processed: the service sends a rejected one again until its retries end", repeatEvent),
  "sequence.late_retry": assumed("accept", "an event of three days ago, signed now, as in the last retries", "check the age of X-Service-Timestamp, which is new in every attempt, and not of a time in the payload", (input) => buildDelivery(input, { body: buildPayload({ ...input, now: input.now - THREE_DAYS_MS }) })),
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
