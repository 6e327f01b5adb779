import { Buffer } from "node:buffer";
import { headerValues } from "../http-headers.ts";
import { parseJsonText, valueAt } from "../json.ts";
import { formatDuration } from "../times.ts";
import { isEventName } from "./event-types.ts";
import { readContentLength } from "./explain/evidence.ts";
import { EVENT_HEADER, TIMESTAMP_HEADER } from "./headers.ts";
import type { ReceivedDelivery } from "./input-formats/delivery.ts";
import type { LoggedDelivery } from "./input-formats/logged-delivery.ts";
import { parseLoggedTime, parseTimestamp } from "./timestamp.ts";

/** Why a delivery that verifies may still not be trusted: the signature says nothing of it. */
export interface Doubt {
  readonly kind: "event_differs" | "body_shorter" | "arrived_late" | "repeated";
  readonly what: string;
  readonly advice: string;
}

/** A delivery, and what a record says of it besides. */
type Arrival = ReceivedDelivery & Partial<Pick<LoggedDelivery, "facts" | "receivedAt">>;

/** Retries and slow networks take less. */
const MIN_NOTED_SECONDS = 120;

/** What a record or a request says against a delivery whose signature matches. */
export function listDoubts(arrival: Arrival): readonly Doubt[] {
  return [findOtherEvent(arrival), findLongerBody(arrival), findLateArrival(arrival)].filter(
    (doubt) => doubt !== null,
  );
}

/** The type of the event in the signed body; null without one. */
export function readSignedEvent(body: Uint8Array): string | null {
  const payload = parseJsonText(Buffer.from(body).toString());
  const found = [valueAt(payload, "type"), valueAt(payload, "event")].find(
    (each) => typeof each === "string" && isEventName(each),
  );
  return typeof found === "string" ? found : null;
}

/** The event that the header or the log names, which is not signed (interface §6). */
export const readClaimedEvent = ({ headers, facts }: Arrival): string | null =>
  headerValues(headers, EVENT_HEADER)[0] ?? facts?.get("event") ?? null;

function findOtherEvent(arrival: Arrival): Doubt | null {
  const signed = readSignedEvent(arrival.body);
  const claimed = readClaimedEvent(arrival);
  if (signed === null || claimed === null || !isEventName(claimed) || signed === claimed) return null;
  const isHeader = headerValues(arrival.headers, EVENT_HEADER).length > 0;
  const what = `${isHeader ? EVENT_HEADER : "the log"} says ${claimed}, and the signed body says ${signed}`;
  return {
    kind: "event_differs",
    what,
    advice:
      "X-Service-Event is not signed: a receiver must go by the body, and refuse a delivery whose two differ",
  };
}

const LENGTH_NAME = /(?:^|[._])content[-_]?length$/i;

function findLongerBody({ headers, body, facts = new Map() }: Arrival): Doubt | null {
  const [, logged = ""] = [...facts].find(([name]) => LENGTH_NAME.test(name)) ?? [];
  const length = readContentLength(headers) ?? (/^\d{1,15}$/.test(logged) ? Number(logged) : 0);
  if (length <= body.length) return null;
  return {
    kind: "body_shorter",
    what: `Content-Length is ${length}, and only the ${body.length} bytes here verify`,
    advice: "If more arrived, it was not what was sent: log the raw bytes",
  };
}

function findLateArrival({ headers, receivedAt }: Arrival): Doubt | null {
  const signedAt = parseTimestamp(headerValues(headers, TIMESTAMP_HEADER)[0] ?? "");
  const arrivedAt = receivedAt ?? readArrivalHeader(headers);
  if (signedAt === null || arrivedAt === null) return null;
  const seconds = Math.round((arrivedAt - signedAt) / 1000);
  if (Math.abs(seconds) < MIN_NOTED_SECONDS) return null;
  const what = `it arrived ${formatDuration(Math.abs(seconds) * 1000)} ${seconds > 0 ? "after" : "before"} it was signed`;
  const late = "It was held in a queue, sent again late or by somebody else, or a clock is off";
  return {
    kind: "arrived_late",
    what,
    advice: `${seconds > 0 ? late : "A clock is off"}; --tolerance 5m refuses such a delivery`,
  };
}

/** A request that was captured can have the time in a header of its sender or of a proxy. */
function readArrivalHeader(headers: ReceivedDelivery["headers"]): number | null {
  const [text] = headerValues(headers, "x-received-at");
  if (text !== undefined) return parseLoggedTime(text);
  const date = Date.parse(headerValues(headers, "date")[0] ?? "");
  return Number.isNaN(date) ? null : date;
}

/** Slower than a record written twice, and faster than any retry. */
const MIN_REPEAT_MS = 2_000;

/** Where and when a delivery was received first. */
export interface FirstReceipt {
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number | null;
}

export function findRepeat(
  { source, receivedAt = null }: Partial<FirstReceipt>,
  first: FirstReceipt,
): Doubt | null {
  if (receivedAt === null || first.receivedAt === null) return null;
  const distance = Math.abs(receivedAt - first.receivedAt);
  if (distance < MIN_REPEAT_MS) return null;
  return {
    kind: "repeated",
    what: `${source} is the delivery of ${first.source} again, ${formatDuration(distance)} later`,
    advice: "It is a retry, a copy of a queue, or a replay: a receiver must accept each event id once",
  };
}
