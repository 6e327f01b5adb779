import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { formatCount } from "../../numbers.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { verify } from "../signature.ts";
import { parseLoggedTime } from "../timestamp.ts";
import { type BodyCandidate, MIN_BODY_SCORE } from "./body-candidates.ts";
import type { HeaderPair, ReceivedDelivery } from "./delivery.ts";

/** A delivery, and what its record says of how it arrived. */
export interface LoggedDelivery extends ReceivedDelivery {
  /** What else can be the body. The one that verifies is. */
  readonly otherBodies: readonly Buffer[];
  /** What the record has in place of the body, which was decoded because it then is JSON; null if it has the body. */
  readonly written: Buffer | null;
  /** When it was received, in milliseconds since 1970. */
  readonly receivedAt: number | null;
  /** What the receiver answered. */
  readonly status: number | null;
  /** Every field of the record by its path, without the body. */
  readonly facts: ReadonlyMap<string, string>;
  /** What the record does not have; null if it is complete. */
  readonly lacks: Lack | null;
}

/** `parsed_body`: the log has the values of the body, and not its bytes; `printed_body`: not those beyond ASCII. */
export type Lack = "signature" | "timestamp" | "body" | "parsed_body" | "printed_body";

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

/** Headers and body of one record make a delivery. */
export function combine(found: Found): Found {
  const { headers, bodies } = found;
  if (!headers || !bodies.some(({ score }) => score >= MIN_BODY_SCORE)) return found;
  return { ...NOTHING, deliveries: [...found.deliveries, complete(found)] };
}

export const complete = ({ headers, bodies, parsedBody, facts }: Found): LoggedDelivery =>
  addFacts(toDelivery(headers ?? [], bodies, parsedBody), facts);

/** Candidates to try; each is a signature to compute. */
const MAX_BODIES = 8;

export function toDelivery(
  headers: readonly HeaderPair[],
  bodies: readonly BodyCandidate[],
  parsedBody: Buffer | null = null,
): LoggedDelivery {
  const likely = bodies
    .filter(({ score }) => score >= MIN_BODY_SCORE)
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
  return { headers, body, otherBodies, written, receivedAt: null, status: null, facts: new Map(), lacks };
}

/** Adds what a record around the delivery says; what is nearer to it counts. */
export function addFacts(delivery: LoggedDelivery, facts: ReadonlyMap<string, string>): LoggedDelivery {
  if (facts.size === 0) return delivery;
  const all = new Map([...facts, ...delivery.facts]);
  return {
    ...delivery,
    facts: all,
    status: delivery.status ?? readStatus(facts),
    receivedAt: delivery.receivedAt ?? readReceiptTime(facts),
  };
}

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

/** The text near the headers that verifies is the body; otherwise the most likely one. */
export const chooseBody = ({ headers, body, otherBodies }: LoggedDelivery, secrets: readonly string[]) =>
  otherBodies.length === 0
    ? body
    : ([body, ...otherBodies].find((each) => verify({ secrets, headers, body: each }).verdict === "valid") ??
      body);

/** What records of a log do not have, and what makes them readable: facts about the log, not about the deliveries. */
export function describeLack(lack: Lack, count: number, fields: readonly string[]) {
  const records = formatCount(count, "record");
  const [has, has2] = count === 1 ? ["has", "it"] : ["have", "they"];
  const columns = fields.length > 0 ? `; the fields are ${fields.slice(0, 12).join(", ")}` : "";
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
  if (lack === "printed_body")
    return {
      message: `${records} ${has} headers, but dots in place of the bytes that the program does not print`,
      hint: "capture the bytes: tcpdump -X, or tcpdump -w FILE and tshark -T json",
    };
  return {
    message: `${records} ${has} headers, but the body was logged after parsing`,
    hint: "log the raw bytes: what a parser changed cannot be verified",
  };
}
