import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { formatCount } from "../../numbers.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { parseLoggedTime } from "../timestamp.ts";
import { type BodyCandidate, MIN_BODY_SCORE, NULL_BODY } from "./body-candidates.ts";
import { type HeaderPair, isEmptySignature, type ReceivedDelivery } from "./delivery.ts";
import { dropContentDigests, findSignatureValues } from "./signature-values.ts";

/**
 * `headers`: the request arrived without them. `parsed_body`: the log has the values of the body, and not its bytes.
 * `roles`: it has several signatures, and does not say which one arrived.
 */
export type Lack = "headers" | "signature" | "timestamp" | "body" | "parsed_body" | "roles";

/** What a record has of one delivery. */
export interface Parts {
  readonly headers: readonly HeaderPair[] | null;
  readonly bodies: readonly BodyCandidate[];
  /** The JSON of a body that was parsed. */
  readonly parsedBody: Buffer | null;
  readonly facts: ReadonlyMap<string, string>;
}

/** What a record around the delivery says, after what is nearer to it. */
export const addFacts = <T extends Parts>(parts: T, around: ReadonlyMap<string, string>): T =>
  around.size === 0 ? parts : { ...parts, facts: new Map([...parts.facts, ...around, ...parts.facts]) };

/** Whether a record with other names than those of the headers has a timestamp, and what it says of a signature. */
export function hasBothNamed(facts: ReadonlyMap<string, string>): boolean {
  const { received, computed, isMissing, headers } = findSignatureValues(facts);
  const hasTimestamp = headers.some(([name]) => name === TIMESTAMP_HEADER);
  return hasTimestamp && (received !== undefined || computed !== null || isMissing);
}

/** Whether a record without a body, and with other names than those of the headers, is of a delivery: other digests can be of anything. */
export function isAboutDelivery(facts: ReadonlyMap<string, string>): boolean {
  const { received, computed, isSignatureNamed, isMissing } = findSignatureValues(facts);
  const isNamed = (received !== undefined && isSignatureNamed) || isMissing;
  return (isNamed && (hasBothNamed(facts) || isRefusal(facts))) || (computed !== null && isRefusal(facts));
}

/** Candidates to try; each is a signature to compute. */
const MAX_BODIES = 8;

/** What the headers lack can be under another name. */
export function toDelivery({ headers: listed, bodies, parsedBody, facts: all }: Parts) {
  const firstOf = (list: readonly HeaderPair[], name: string) => headerValues(list, name)[0];
  const facts = dropContentDigests(all, bodies);
  const named = findSignatureValues(facts, firstOf(listed ?? [], SIGNATURE_HEADER));
  const own = (listed ?? []).filter((header) => !isEmptySignature(header));
  // Beside a list of headers with the signature, another time is that of the log, and made in the same second it would verify.
  const isListed = own.length > 1 && firstOf(own, SIGNATURE_HEADER) !== undefined;
  const missing = isListed ? [] : named.headers.filter(([name]) => firstOf(own, name) === undefined);
  const isTimestampRenamed = missing.some(([name]) => name === TIMESTAMP_HEADER);
  const headers: readonly HeaderPair[] = [...own, ...missing];
  const likely = bodies
    .filter(({ score, bytes }) => score >= MIN_BODY_SCORE && (bytes !== NULL_BODY || parsedBody === null))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_BODIES);
  const [first, ...otherBodies] = likely;
  const signature = firstOf(headers, SIGNATURE_HEADER);
  const status = readStatus(facts);
  const lacks: readonly (readonly [Lack, boolean])[] = [
    ["signature", signature === undefined && !named.isMissing],
    ["parsed_body", likely.length === 0 && parsedBody !== null],
    ["body", likely.length === 0],
    // That a list of all headers is without it is a fault of the delivery.
    ["timestamp", firstOf(headers, TIMESTAMP_HEADER) === undefined && !listed?.some(isEmptySignature)],
    ["roles", named.ambiguous.length > 0],
  ];
  return {
    headers,
    body: first?.bytes ?? parsedBody ?? Buffer.alloc(0),
    /** What else can be the body. The one that verifies is. */
    otherBodies,
    /** What the record has in place of the body, which was decoded because it then is JSON; null if it has the body. */
    written: first?.written ?? null,
    /** Whether a line of text ends after the body, so that a line end of the body is not to be seen. */
    isBodyAtLineEnd: first?.isAtLineEnd ?? false,
    /** Whether it is a captured request. False if its timestamp has another name: a program can have converted it. */
    isRequest: isTimestampRenamed ? false : (undefined as boolean | undefined),
    /** What else can be the signature, if no name says which one arrived and which one the receiver computed. */
    otherSignatures: named.ambiguous,
    /** The signature that the receiver computed, as the record has it. */
    computed: named.computed,
    /** Whether only words such as `expected` and `actual` say which of the two signatures arrived. */
    areRolesUnsure: named.areRolesUnsure,
    mayBeSwapped: named.mayBeSwapped,
    /** When it was received, in milliseconds since 1970. */
    receivedAt: readReceiptTime(facts, firstOf(headers, TIMESTAMP_HEADER)),
    /** What the receiver answered. */
    status,
    /** Whether the receiver refused it: by its status, or in words, unless it answered that it took it. */
    isRefused: REFUSALS.has(status) || (!isAccepted(status) && isRefusal(facts)),
    /** Every field of the record by its path, without the body. */
    facts,
    /** What the record does not have; null if it is complete. */
    lacks: lacks.find(([, isLacking]) => isLacking)?.[0] ?? null,
  };
}

/** A delivery, and what its record says of how it arrived. */
export type LoggedDelivery = ReceivedDelivery & Readonly<ReturnType<typeof toDelivery>>;

/** What programs write about a signature that they take for wrong. */
const REFUSAL =
  /mismatch|(?:do|does|did) ?n[o']t (?:match|equal|verify)|!==? |(?:bad|invalid|wrong|failed|failure|reject(?:ed|ing)|incorrect|unverified)\b.{0,30}\b(?:signature|hmac|webhook|delivery|sig)|(?:signature|hmac|webhook|delivery|sig|verification|verify)\b.{0,30}\b(?:invalid|failed|fails?|rejected|wrong|refused|denied|not match|no match|not valid)/i;
const VALIDITY = /(?:^|[._ -])(?:is_?)?(?:valid|verified|ok|match(?:es)?|accepted)$/i;

export const isRefusalInWords = (text: string): boolean => REFUSAL.test(text);

const isRefusal = (facts: ReadonlyMap<string, string>): boolean =>
  [...facts].some(([name, text]) =>
    VALIDITY.test(name)
      ? /^(?:false|no|0)$/i.test(text)
      : REFUSAL.test(text) || (OF_CHECK.test(name) && REFUSED_WORD.test(text)),
  );

/** What a receiver answers to a signature that it takes for wrong. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 401, 403, 422]);

/** Whether the receiver answered that it took it. */
export const isAccepted = (status: number | null): boolean => status !== null && status < 300;

/** What programs write about a timestamp that they take for too old or too new. */
export const isTimeRefusal = (text: string): boolean =>
  /timestamp\b.{0,40}\b(?:outside|not within|exceeds?|expired|stale)\b|\btoo (?:old|new)\b/i.test(text);

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
  // A message can wait in a queue after it was sent there.
  /FirstReceiveTimestamp$/i,
  /(?:timeEpoch|requestTimeEpoch|received_?at|startedDateTime|SentTimestamp)$/i,
  /(?:^|[._-])@?(?:timestamp|time|ts|datetime|date|event_?time|start(?:ed)?_?(?:at|time|utc)?|last_attempt_at|created_?at|t|systemtime|__realtime_timestamp)(?: \[utc\])?$/i,
];

/**
 * Milliseconds since 1970, as the record says when the delivery arrived.
 *
 * @param signedAt the signing timestamp, which is not the time of receipt under any name
 */
function readReceiptTime(facts: ReadonlyMap<string, string>, signedAt: string | undefined): number | null {
  for (const pattern of TIME_NAMES)
    for (const [name, text] of facts) {
      const time = pattern.test(name) && text !== signedAt ? parseLoggedTime(text) : null;
      if (time !== null) return time;
    }
  return null;
}

/** What records of a log do not have, and what makes them readable: facts about the log, not about the deliveries. */
export function describeLack(lack: Lack, count: number, fields: readonly string[]) {
  const [has, it, does] = count === 1 ? ["has", "it", "does"] : ["have", "they", "do"];
  const columns = fields.length > 0 ? `; the fields are ${fields.slice(0, 12).join(", ")}` : "";
  const missing = (header: string) =>
    [
      `no ${header} at any place we know`,
      `log the value of ${header}, without which nothing can be verified; --field ${lack}=PATH names it, if ${it} ${has} it${columns}`,
    ] as const;
  // biome-ignore format: a table, one row a line
  const texts: Readonly<Record<Lack, readonly [what: string, hint: string]>> = {
    headers: ["headers and an event, and none of the three headers of the service", "something before the receiver drops them: let every proxy, gateway and queue pass them on"],
    roles: [`several signatures, and ${does} not say which one arrived`, `--field signature=NAME says which one; for one delivery, "claims webhooks verify FILE --computed HEX" names the one that your receiver computed`],
    signature: missing(SIGNATURE_HEADER),
    timestamp: missing(TIMESTAMP_HEADER),
    body: ["no body, so nothing can be verified", `whoever made this log must act: log the raw bytes of the body, as base64, before a parser reads them. With the body: --body FILE --timestamp T --signature HEX; of the sandbox: --delivery ID; in another field: --field body=PATH${columns}`],
    parsed_body: ["headers, but the body was logged after parsing", "log the raw bytes: what a parser changed cannot be verified"],
  };
  const [what, hint] = texts[lack];
  return { message: `${formatCount(count, "record")} ${has} ${what}`, hint };
}
