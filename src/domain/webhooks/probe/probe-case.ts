import { EVENT_HEADER, type HeaderList, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { type Bytes, hmacSha256 } from "../hmac.ts";
import { type SignInput, sign } from "../signature.ts";

export interface ProbeInput {
  /** The secret that the receiver verifies with. */
  readonly secret: string;
  /** The one that replaces it, or that a second endpoint has. */
  readonly secondSecret?: string | undefined;
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
  readonly signature?: string | null;
}

/** Unix seconds, as the sandbox sends: interface §6 does not show the format. */
const toUnixSeconds = (now: number): string => String(Math.floor(now / 1000));

export const secondsBefore = ({ now }: ProbeInput, seconds: number): string =>
  toUnixSeconds(now - seconds * 1000);

export function buildDelivery(input: ProbeInput, overrides: DeliveryOverrides = {}): ProbeDelivery {
  const { body = buildPayload(input), event = input.event, timestamp = toUnixSeconds(input.now) } = overrides;
  const { signature = sign({ secret: input.secret, timestamp: timestamp ?? "", body }) } = overrides;
  const headers = [
    ["Content-Type", "application/json"],
    [EVENT_HEADER, event],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, signature],
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
export function buildPayload({ event, id, now }: ProbeInput, data = '{"amount":12,"note":"probe"}'): string {
  const text = JSON.stringify;
  const createdAt = new Date(now).toISOString();
  return `{"createdAt":${text(createdAt)},"data":${data},"environment":"sandbox","id":${text(id)},"type":${text(event)}}`;
}

export const payloadWithData = (data: string) => (input: ProbeInput) => buildPayload(input, data);

export const indentedPayload = (input: ProbeInput): string =>
  JSON.stringify(JSON.parse(buildPayload(input)), null, 2);

export const spacedPayload = (input: ProbeInput): string =>
  buildPayload(input).replaceAll('":', '": ').replaceAll(',"', ', "');

export interface ProbeCase {
  readonly sends: string;
  readonly expects: "accept" | "reject" | "either";
  /** A documented rule decides the exit code; an assumption and our advice do not. */
  readonly basis: "documented" | "assumed" | "advice";
  /** The rule in the interface, or the reason for the advice. */
  readonly source: string;
  /** Sent only to a receiver that refuses everything, to find out why. */
  readonly findsCause?: true;
  readonly needsSecondSecret?: true;
  /** A counter of processed events has to rise by one. */
  readonly countsEffects?: true;
  /** The response has to have the status of this case. */
  readonly sameStatusAs?: string;
  /** One delivery, or several: those of a round are sent together, and a round starts after the one before it. */
  readonly make: (input: ProbeInput) => ProbeDelivery | readonly (readonly ProbeDelivery[])[];
}

export const documentedCase = (
  expects: ProbeCase["expects"],
  rule: number,
  sends: string,
  make: ProbeCase["make"],
): ProbeCase => ({ sends, expects, basis: "documented", source: `interface §6, rule ${rule}`, make });

/** How a case differs from others of its kind. */
type CaseFlags = Omit<Partial<ProbeCase>, "sends" | "make">;

export const advisedCase = (
  expects: ProbeCase["expects"],
  sends: string,
  source: string,
  make: ProbeCase["make"],
  flags: CaseFlags = {},
): ProbeCase => ({ sends, expects, basis: "advice", source, make, ...flags });

/** A genuine delivery of an unusual body. */
export const rawBody = (sends: string, body: (input: ProbeInput) => string): ProbeCase =>
  documentedCase("accept", 3, sends, (input) => buildDelivery(input, { body: body(input) }));

export const badHeader = (sends: string, overrides: Parameters<typeof buildDelivery>[1]): ProbeCase =>
  documentedCase("reject", 4, sends, (input) => buildDelivery(input, overrides));

export const signInputOf = (input: ProbeInput): SignInput => ({
  secret: input.secret,
  timestamp: toUnixSeconds(input.now),
  body: buildPayload(input),
});

/** A genuine delivery except for its signature. */
export const forgedCase = (
  sends: string,
  rule: number,
  signature: (signed: SignInput) => string,
): ProbeCase =>
  documentedCase("reject", rule, sends, (input) =>
    buildDelivery(input, { signature: signature(signInputOf(input)) }),
  );

/** HMAC of the joined parts, without the full stop of the documented base string. */
export const hmac = (secret: Bytes, ...parts: readonly Bytes[]): string => hmacSha256(secret, parts);

export const flipDigits = (digits: string): string =>
  digits.replace(/./g, (digit) => (digit === "0" ? "1" : "0"));

export const oldTimestamp = (sends: string, seconds: number, flags: CaseFlags = {}): ProbeCase =>
  advisedCase(
    "reject",
    sends,
    "check the age: otherwise anyone can send a recorded delivery again at any time (interface §6, rule 6)",
    (input) => buildDelivery(input, { timestamp: secondsBefore(input, seconds) }),
    flags,
  );

/** A situation that a receiver meets in production and rarely in a test. */
export const sequence = (
  sends: string,
  source: string,
  make: ProbeCase["make"],
  flags: CaseFlags = {},
): ProbeCase => advisedCase("accept", sends, source, make, { basis: "assumed", ...flags });

/** Two attempts never have the same timestamp: a signature identifies an attempt, not an event. */
export const repeatEvent = (input: ProbeInput): readonly (readonly ProbeDelivery[])[] => [
  [buildDelivery(input, { timestamp: secondsBefore(input, 2) })],
  [buildDelivery(input)],
];

/** An event that occurred some time ago, signed now. */
export const oldEvent = (input: ProbeInput, seconds: number): ProbeDelivery =>
  buildDelivery(input, { body: buildPayload({ ...input, now: input.now - seconds * 1000 }) });

/** What a receiver accepts that computes another signature. */
export const variant = (sends: string, signature: (signed: SignInput) => string): ProbeCase => ({
  ...forgedCase(sends, 2, signature),
  ...FINDS_CAUSE,
});

export const FINDS_CAUSE = { expects: "either", basis: "advice", findsCause: true } as const;

export const keyVariant = (what: string, key: (secret: string) => string | Uint8Array): ProbeCase =>
  variant(`a signature with ${what}`, ({ secret, timestamp, body }) =>
    hmac(key(secret), timestamp, ".", body),
  );

export const withoutPrefix = (secret: string): string => secret.replace(/^whsec_/, "");
