import { Buffer } from "node:buffer";
import { isRecord, valueAt } from "../../json.ts";
import { readBufferJson } from "../explain/encodings.ts";
import { EVENT_HEADER, headerValues, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { parseTimestamp } from "../timestamp.ts";
import { type HeaderPair, headersFromJson, type ReceivedDelivery } from "./delivery.ts";
import { decodeEventBody, readEventHeaders } from "./gateway-event.ts";
import { readHarRequest } from "./har.ts";

/** What `--field` names, each a path of a record of a log. */
export const FIELD_NAMES = [
  "body",
  "headers",
  "timestamp",
  "signature",
  "event",
  "time",
  "sender",
  "endpoint",
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];
export type FieldPaths = Readonly<Partial<Record<FieldName, string>>>;

/** A delivery, and what its record says of how it arrived. */
export interface LoggedDelivery extends ReceivedDelivery {
  /** When it was received, in milliseconds since 1970. */
  readonly receivedAt?: number | null;
  readonly sender?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Envelopes inside envelopes: a gateway event in an SNS message in a batch of SQS. */
const MAX_ENVELOPES = 6;

/**
 * The deliveries in a JSON value: a HAR, events of API Gateway, batches of SQS and SNS, records with headers and body, or
 * records of any log by the paths of their fields. Other values have none.
 */
export function* findDeliveries(
  value: unknown,
  paths: FieldPaths,
  depth = MAX_ENVELOPES,
): Generator<LoggedDelivery> {
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* findDeliveries(each, paths, depth - 1);
    return;
  }
  if (!isRecord(value)) return;
  if (Object.keys(paths).length > 0) {
    const delivery = readFields(value, paths);
    if (delivery) yield delivery;
    return;
  }
  const entries = valueAt(value, "log.entries");
  if (Array.isArray(entries)) {
    for (const entry of entries) yield readHarEntry(entry);
    return;
  }
  const message = findMessage(value);
  if (message !== undefined) {
    for (const found of findDeliveries(message, paths, depth - 1))
      yield { ...found, receivedAt: found.receivedAt ?? findSendTime(value) };
    return;
  }
  const delivery = readRequest(value) ?? readRequest(value.request) ?? readRequest(value.req);
  if (delivery) yield { ...delivery, ...findOrigin(value) };
}

/** By the paths of `--field`. Null for a record without them, such as another line of the log. */
function readFields(record: object, paths: FieldPaths): LoggedDelivery | null {
  const read = (name: FieldName): unknown => {
    const path = paths[name];
    return path === undefined ? null : valueAt(record, path);
  };
  const logged = read("body");
  const body = typeof logged === "string" ? Buffer.from(logged) : readBufferJson(logged);
  if (body === null) return null;
  const listed = headersFromJson(read("headers")) ?? [];
  const named = [
    [TIMESTAMP_HEADER, read("timestamp")],
    [SIGNATURE_HEADER, read("signature")],
    [EVENT_HEADER, read("event")],
  ] as const;
  const given = named.flatMap(([name, value]): HeaderPair[] =>
    value === null ? [] : [[name, String(value)]],
  );
  return {
    headers: [...listed, ...given],
    body,
    receivedAt: toTime(read("time")),
    sender: toText(read("sender")) ?? senderOf(listed),
    endpoint: toText(read("endpoint")),
  };
}

function readHarEntry(entry: unknown): LoggedDelivery {
  const delivery = readHarRequest(valueAt(entry, "request"));
  return {
    ...delivery,
    receivedAt: toTime(valueAt(entry, "startedDateTime")),
    sender: senderOf(delivery.headers),
    endpoint: pathOf(valueAt(entry, "request.url")),
  };
}

/** What is inside an envelope: a batch, a message, or text that is JSON. Undefined if the record is no envelope. */
function findMessage(record: Readonly<Record<string, unknown>>): unknown {
  const { Records, Messages, Sns, Message, Body, body, messageId } = record;
  if (Array.isArray(Records)) return Records;
  if (Array.isArray(Messages)) return Messages;
  if (isRecord(Sns)) return Sns;
  const isQueued = typeof messageId === "string" || typeof Body === "string";
  const text = typeof Message === "string" ? Message : isQueued ? (Body ?? body) : undefined;
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Text of another application in the same queue.
    return null;
  }
}

const findSendTime = (record: object): number | null =>
  toTime(valueAt(record, "attributes.SentTimestamp") ?? valueAt(record, "Timestamp"));

/** A record with headers and a body: an event of API Gateway, or what a receiver logged. */
function readRequest(record: unknown): ReceivedDelivery | null {
  if (!isRecord(record)) return null;
  const { bodyBase64, rawHeaders } = record;
  const body = record.rawBody ?? record.body;
  const list = headersFromJson(rawHeaders) ?? readEventHeaders(record);
  if (!list) return null;
  if (typeof bodyBase64 === "string") return { headers: list, body: Buffer.from(bodyBase64, "base64") };
  const bytes = typeof body === "string" ? decodeEventBody(record, body) : readBufferJson(body);
  return bytes === null ? null : { headers: list, body: bytes };
}

/** From the context of API Gateway, or fields that logs often have. */
function findOrigin(record: object): Pick<LoggedDelivery, "receivedAt" | "sender" | "endpoint"> {
  const first = (...paths: string[]): unknown =>
    paths.map((path) => valueAt(record, path)).find((value) => value !== null) ?? null;
  const headers = headersFromJson(valueAt(record, "headers")) ?? [];
  return {
    receivedAt: toTime(
      first("requestContext.timeEpoch", "requestContext.requestTimeEpoch", "receivedAt", "time"),
    ),
    sender:
      toText(first("requestContext.http.sourceIp", "requestContext.identity.sourceIp", "remoteAddress")) ??
      senderOf(headers),
    endpoint: pathOf(first("rawPath", "path", "url", "request.url")),
  };
}

/** The last proxy that the receiver knows. */
const senderOf = (headers: readonly HeaderPair[]): string | undefined =>
  headerValues(headers, "x-forwarded-for")[0]?.split(",").at(-1)?.trim() || undefined;

/** Without its query, which can hold a secret. */
const pathOf = (url: unknown): string | undefined => toText(url)?.replace(/[?#].*$/s, "");

const toText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

function toTime(value: unknown): number | null {
  const text = toText(value);
  if (text === undefined) return null;
  // Milliseconds, as AWS and JavaScript write them.
  return /^\d{13}$/.test(text) ? Number(text) : parseTimestamp(text);
}
