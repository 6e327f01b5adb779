import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { parseJsonText, valueAt } from "../../json.ts";
import { formatCount } from "../../numbers.ts";
import { isEventName } from "../event-types.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { parseLoggedTime } from "../timestamp.ts";
import { type BodyCandidate, MIN_BODY_SCORE, NULL_BODY } from "./body-candidates.ts";
import type { HeaderPair, ReceivedDelivery } from "./delivery.ts";
import { readNamedValues } from "./named-values.ts";

/** A delivery, and what its record says of how it arrived. */
export interface LoggedDelivery extends ReceivedDelivery {
  /** What else can be the body. The one that verifies is. */
  readonly otherBodies: readonly Buffer[];
  /** What else can be the signature, if no name says which one arrived and which one the receiver computed. */
  readonly otherSignatures: readonly string[];
  /** What the record has in place of the body, which was decoded because it then is JSON; null if it has the body. */
  readonly written: Buffer | null;
  /** Whether the timestamp stands under a name of the log: a program can have converted it. */
  readonly isTimestampRenamed: boolean;
  /** When it was received, in milliseconds since 1970. */
  readonly receivedAt: number | null;
  /** What the receiver answered. */
  readonly status: number | null;
  /** Whether the record says in words that the receiver refused it. */
  readonly isRefused: boolean;
  /** The signature that the receiver computed, as the record has it. */
  readonly computed: string | null;
  /** Every field of the record by its path, without the body. */
  readonly facts: ReadonlyMap<string, string>;
  /** What the record does not have; null if it is complete. */
  readonly lacks: Lack | null;
}

/**
 * `headers`: the request arrived without them. `parsed_body`: the log has the values of the body, and not its bytes.
 * `sides`: it has several signatures, and does not say which one arrived.
 */
export type Lack = "headers" | "signature" | "timestamp" | "body" | "parsed_body" | "sides";

/** What a value has that did not make a delivery yet. */
export interface Found {
  readonly deliveries: LoggedDelivery[];
  readonly headers: readonly HeaderPair[] | null;
  readonly bodies: readonly BodyCandidate[];
  /** The JSON of a body that was parsed. */
  readonly parsedBody: Buffer | null;
  readonly facts: ReadonlyMap<string, string>;
}

export const NOTHING: Found = {
  deliveries: [],
  headers: null,
  bodies: [],
  parsedBody: null,
  facts: new Map(),
};

const MAX_FACT_LENGTH = 200;

export function addFact(
  facts: Map<string, string>,
  name: string,
  value: unknown,
  inner: ReadonlyMap<string, string>,
): void {
  if (inner.size > 0) {
    for (const [key, text] of inner) facts.set(`${name}.${key}`, text);
    return;
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    const text = String(value);
    if (text !== "" && text.length <= MAX_FACT_LENGTH) facts.set(name, text);
  }
}

/**
 * Headers and body of one record make a delivery.
 * @param isPlain whether other names can stand for those of the headers
 */
export function combine(found: Found, isPlain = false): Found {
  const { headers, bodies, facts } = found;
  const isComplete = headers !== null || (isPlain && hasBoth(readNamedValues(facts, undefined).headers));
  if (!isComplete || !bodies.some(({ score }) => score >= MIN_BODY_SCORE)) return found;
  return { ...NOTHING, deliveries: [...found.deliveries, complete(found)] };
}

const hasBoth = (headers: readonly HeaderPair[]): boolean => headers.length === 2;

/** Whether a record without a body, and with other names than those of the headers, is of a delivery: other digests can be of anything. */
export function isAboutDelivery(facts: ReadonlyMap<string, string>): boolean {
  const { signature, headers, computed, isSignatureNamed } = readNamedValues(facts, undefined);
  if (signature === undefined) return false;
  return (isSignatureNamed && hasBoth(headers)) || (computed !== null && isRefusal(facts));
}

/** What the headers lack can be under another name. */
export function complete({ headers, bodies, parsedBody, facts }: Found): LoggedDelivery {
  const own = headers ?? [];
  const named = readNamedValues(facts, headerValues(own, SIGNATURE_HEADER)[0]);
  const missing = named.headers.filter(([name]) => headerValues(own, name).length === 0);
  const isTimestampRenamed = missing.some(([name]) => name === TIMESTAMP_HEADER);
  const delivery = {
    ...addFacts(toDelivery([...own, ...missing], bodies, parsedBody), facts),
    isTimestampRenamed,
  };
  const { otherSignatures, isSignatureNamed } = named;
  // In a record without a refusal, what stands beside a signature can be the digest of anything.
  if (otherSignatures.length === 0 || (isSignatureNamed && !isRefusal(facts))) return delivery;
  return { ...delivery, otherSignatures, lacks: delivery.lacks ?? "sides" };
}

/** Candidates to try; each is a signature to compute. */
const MAX_BODIES = 8;

export function toDelivery(
  headers: readonly HeaderPair[],
  bodies: readonly BodyCandidate[],
  parsedBody: Buffer | null = null,
): LoggedDelivery {
  const likely = bodies
    .filter(({ score, bytes }) => score >= MIN_BODY_SCORE && (bytes !== NULL_BODY || parsedBody === null))
    .toSorted((one, other) => other.score - one.score);
  const [body = parsedBody ?? Buffer.alloc(0), ...otherBodies] = likely
    .slice(0, MAX_BODIES)
    .map(({ bytes }) => bytes);
  const isMissing = (name: string) => headerValues(headers, name).length === 0;
  const lacks = isMissing(SIGNATURE_HEADER)
    ? "signature"
    : likely.length === 0
      ? parsedBody
        ? "parsed_body"
        : "body"
      : isMissing(TIMESTAMP_HEADER)
        ? "timestamp"
        : null;
  const written = likely[0]?.written ?? null;
  return { ...UNKNOWN, headers, body, otherBodies, written, lacks };
}

/** What a record says of a delivery besides headers and body. */
export const UNKNOWN = {
  written: null,
  isTimestampRenamed: false,
  otherSignatures: [],
  receivedAt: null,
  status: null,
  isRefused: false,
  computed: null,
  facts: new Map<string, string>(),
};

/** Adds what a record around the delivery says; what is nearer to it counts. */
export function addFacts(delivery: LoggedDelivery, facts: ReadonlyMap<string, string>): LoggedDelivery {
  if (facts.size === 0) return delivery;
  const all = new Map([...facts, ...delivery.facts]);
  return {
    ...delivery,
    facts: all,
    status: delivery.status ?? readStatus(facts),
    isRefused: delivery.isRefused || isRefusal(facts),
    computed:
      delivery.computed ??
      readNamedValues(facts, headerValues(delivery.headers, SIGNATURE_HEADER)[0]).computed,
    receivedAt: delivery.receivedAt ?? readReceiptTime(facts),
  };
}

/** What programs write about a signature that they take for wrong. */
const REFUSAL =
  /mismatch|(?:do|does|did) ?n[o']t (?:match|equal|verify)|!==? |(?:bad|invalid|wrong|failed|failure|rejected|incorrect|unverified)\b.{0,30}\b(?:signature|hmac|webhook|delivery|sig)|(?:signature|hmac|webhook|delivery|sig|verification|verify)\b.{0,30}\b(?:invalid|failed|fails?|rejected|wrong|refused|denied|not match|no match|not valid)/i;
const VALIDITY = /(?:^|[._ -])(?:is_?)?(?:valid|verified|ok|match(?:es)?|accepted)$/i;

export const isRefusalInWords = (text: string): boolean => REFUSAL.test(text);

const isRefusal = (facts: ReadonlyMap<string, string>): boolean =>
  [...facts].some(([name, text]) =>
    VALIDITY.test(name)
      ? /^(?:false|no|0)$/i.test(text)
      : REFUSAL.test(text) || (OF_CHECK.test(name) && REFUSED_WORD.test(text)),
  );

/** The result of a check; a status can also be that of a queue. */
const OF_CHECK = /(?:result|outcome|verdict|verification|signature|check)$/i;
const REFUSED_WORD = /^(?:rejected|refused|fail(?:ed)?|denied|unauthorized|forbidden)$/i;

const STATUS_NAME =
  /status(?:_?code)?$|(?:^|[._-])(?:(?:http|response|resp|res|elb|upstream|origin|edge|sc|target|cs)?[._-]?status[.-]code|response[._-]?code|answer(?:ed)?|reply|returned|result_?code)$/i;

/** An integer from 100 to 599 under a name of a status, also with its reason phrase. */
function readStatus(facts: ReadonlyMap<string, string>): number | null {
  for (const [name, text] of facts)
    if (/^[1-5]\d\d(?: [A-Z][A-Za-z -]{1,40})?$/.test(text) && STATUS_NAME.test(name))
      return Number(text.slice(0, 3));
  return null;
}

/** Names of the time in a record, the most telling first. */
const TIME_NAMES = [
  /(?:timeEpoch|requestTimeEpoch|received_?at|startedDateTime|SentTimestamp)$/i,
  /(?:^|[._-])@?(?:timestamp|time|ts|datetime|date|event_?time|start(?:ed)?_?(?:at|time|utc)?|last_attempt_at|created_?at|t|systemtime|__realtime_timestamp)(?: \[utc\])?$/i,
];

/** Milliseconds since 1970, as the record says when the delivery arrived. */
function readReceiptTime(facts: ReadonlyMap<string, string>): number | null {
  for (const pattern of TIME_NAMES)
    for (const [name, text] of facts) {
      const time = pattern.test(name) ? parseLoggedTime(text) : null;
      if (time !== null) return time;
    }
  return null;
}

/** The event by its header; a log without it can have it in the body or in a field. */
export function readEvent({ headers, body }: ReceivedDelivery, facts: ReadonlyMap<string, string>) {
  const payload = parseJsonText(body.toString());
  const names = [valueAt(payload, "event"), valueAt(payload, "type"), facts.get("event")];
  const name = names.find((each) => typeof each === "string" && isEventName(each));
  return headerValues(headers, EVENT_HEADER)[0] ?? (typeof name === "string" ? name : null);
}

/** What records of a log do not have, and what makes them readable: facts about the log, not about the deliveries. */
export function describeLack(lack: Lack, count: number, fields: readonly string[]) {
  const records = formatCount(count, "record");
  const [has, has2] = count === 1 ? ["has", "it"] : ["have", "they"];
  const columns = fields.length > 0 ? `; the fields are ${fields.slice(0, 12).join(", ")}` : "";
  if (lack === "headers")
    return {
      message: `${records} ${has} headers and an event, and none of the three headers of the service`,
      hint: "something before the receiver drops them: let every proxy, gateway and queue pass them on",
    };
  if (lack === "sides")
    return {
      message: `${records} ${has} several signatures, and ${count === 1 ? "does" : "do"} not say which one arrived`,
      hint: `--field signature=NAME says which one; for one delivery, "claims webhooks verify FILE --computed HEX" names the one that your receiver computed`,
    };
  if (lack === "signature" || lack === "timestamp")
    return {
      message: `${records} ${has} no ${lack === "signature" ? SIGNATURE_HEADER : TIMESTAMP_HEADER} at any place we know`,
      hint: `--field ${lack}=PATH names it, if ${has2} ${has} it${columns}`,
    };
  if (lack === "body")
    return {
      message: `${records} ${has} headers, and no body`,
      hint: `log the raw bytes of the body, or name the field: --field body=PATH${columns}`,
    };
  return {
    message: `${records} ${has} headers, but the body was logged after parsing`,
    hint: "log the raw bytes: what a parser changed cannot be verified",
  };
}
