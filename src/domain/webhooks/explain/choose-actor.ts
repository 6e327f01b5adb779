import { type HeaderList, headerValues } from "../../http-headers.ts";
import { TIMESTAMP_HEADER } from "../headers.ts";
import { parseTimestamp } from "../timestamp.ts";
import { type Actor, addToEvidence, type Cause, type CauseId, createCause } from "./causes.ts";
import { type FailedDelivery, findProxy, readContentLength } from "./evidence.ts";
import type { Match } from "./search.ts";

/**
 * The cause with the one who must act, by what the message itself shows: HTTP delivers as many bytes as its Content-Length says.
 * @param cause with the one who mostly must act
 */
export function chooseActor(cause: Cause, match: Match | null, delivery: FailedDelivery): Cause {
  const { id, certainty, evidence } = cause;
  if (id === "body.reserialized" && isWhole(delivery)) {
    // It was printed again before it arrived.
    const proxy = findProxy(delivery.headers);
    if (proxy === null) return createCause("base.reserialized", certainty, evidence);
    return createCause(id, certainty, addToEvidence(evidence, proxy), "between");
  }
  const actor = findActor(cause, match, delivery);
  return actor === null ? cause : createCause(id, certainty, evidence, actor);
}

/** Whether the body has its Content-Length, or the chunks of its request. */
function isWhole({ headers, body, isRequest }: FailedDelivery): boolean {
  const hasChunks = isRequest === true && headerValues(headers, "transfer-encoding").length > 0;
  return readContentLength(headers) === body.bytes.length || hasChunks;
}

/** Null if the message does not show another one than that of the cause. */
function findActor({ id, actor }: Cause, match: Match | null, delivery: FailedDelivery): Actor | null {
  const { headers, body, isRequest, isRefused } = delivery;
  if (id === "timestamp.reformatted") return isTimeOfSender(headers, isRequest) ? "sender" : null;
  if (id === "body.changed") return "log";
  if (match !== null && OF_SIGNER.includes(id)) return "sender";
  if (OF_PRINTER.includes(id) && isWhole(delivery)) return findProxy(headers) === null ? "sender" : "between";
  if (!id.startsWith("body.")) return null;
  if (isPrintedForPeople(id, match, delivery)) return "log";
  const length = readContentLength(headers);
  const signedLength = match?.body.length;
  if (actor === "log" && length === body.bytes.length && length !== signedLength) return "between";
  if (actor === "log" && isRefused && OF_HASHED_TEXT.includes(id)) return "receiver";
  if (actor === "between" && length === signedLength && OF_DECODING.includes(id)) return "receiver";
  return null;
}

/** A receiver does not make the signature that arrives: with one of these faults, its sender did. */
const OF_SIGNER: readonly CauseId[] = [
  "body.data_only",
  "body.dump",
  "body.constant",
  "body.empty",
  "secret.transformed",
];

/** Like body.reserialized: of a body that arrived as it is here, they were made before. */
const OF_PRINTER: readonly CauseId[] = ["body.keys_sorted", "body.number_reprinted", "body.time_reprinted"];

/** What a log can do to a body; a receiver did it that refused the delivery, as it hashed what it logged. */
const OF_HASHED_TEXT: readonly CauseId[] = [
  "body.trailing_newline",
  "body.trimmed",
  "body.bom",
  "body.line_endings",
  "body.replaced_characters",
];

/** What a proxy can do to a body, and a program that reads it as text. */
const OF_DECODING: readonly CauseId[] = ["body.charset", "body.html_entities", "body.unicode_normalized"];

/** Logs and pages print JSON over several lines for people. The body of a captured request is what a program had. */
function isPrintedForPeople(id: CauseId, match: Match | null, delivery: FailedDelivery): boolean {
  const { headers, body, isRequest } = delivery;
  if (isRequest || !isIndented(body)) return false;
  if (id === "body.reserialized") return match !== null && !isIndented({ text: match.body.toString() });
  // The JavaScript of a page rounds the numbers.
  return id === "body.number_reprinted" && readContentLength(headers) !== body.bytes.length;
}

const isIndented = ({ text }: { readonly text: string | null }): boolean =>
  /^\s*[[{]\r?\n\s/.test(text ?? "");

/** A log can print the time of a request as a date, and nobody but its sender makes milliseconds of its header. */
function isTimeOfSender(headers: HeaderList, isRequest: boolean | undefined): boolean {
  const [timestamp = ""] = headerValues(headers, TIMESTAMP_HEADER);
  if (isRequest === true) return parseTimestamp(timestamp.trim()) !== null;
  return isRequest === undefined && /^\d{13}$/.test(timestamp);
}
