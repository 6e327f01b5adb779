import { Buffer } from "node:buffer";
import { usageError } from "../../domain/errors.ts";
import { valueAt } from "../../domain/json.ts";
import { headerValues, SIGNATURE_HEADER } from "../../domain/webhooks/headers.ts";
import { readHarHeaders, readHarRequest } from "../../domain/webhooks/input-formats/har.ts";
import type { createLearner } from "./learner.ts";

/** How many entries of a recording were exchanges of the contract, deliveries, or something else. */
export interface RecordingCounts {
  readonly exchanges: number;
  readonly deliveries: number;
  readonly others: number;
}

/**
 * Learns from a HAR: exchanges with the service, and deliveries to a receiver.
 *
 * @param shownAs the file as the user wrote it
 * @throws ClaimsError `invalid_recording`
 */
export function addRecording(
  learner: ReturnType<typeof createLearner>,
  text: string,
  shownAs: string,
): RecordingCounts {
  const counts = { exchanges: 0, deliveries: 0, others: 0 };
  for (const entry of readEntries(text, shownAs)) {
    const delivery = readHarRequest(valueAt(entry, "request"));
    const at = Date.parse(String(valueAt(entry, "startedDateTime"))) || 0;
    if (headerValues(delivery.headers, SIGNATURE_HEADER).length > 0) {
      learner.addDelivery(delivery.headers, delivery.body.toString("utf8"), at);
      counts.deliveries += 1;
    } else if (learner.add({ ...readExchange(entry), at })) counts.exchanges += 1;
    else counts.others += 1;
  }
  return counts;
}

function readEntries(text: string, shownAs: string): readonly unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw invalidRecordingError(`${shownAs} is not JSON`, cause);
  }
  const entries = valueAt(document, "log.entries");
  if (Array.isArray(entries)) return entries;
  throw invalidRecordingError(`${shownAs} has no log.entries`);
}

const invalidRecordingError = (message: string, cause?: unknown) =>
  usageError("invalid_recording", message, { hint: "save the traffic as a HAR with content", cause });

function readExchange(entry: unknown) {
  const text = valueAt(entry, "response.content.text");
  const body = typeof text === "string" ? text : "";
  const isBase64 = valueAt(entry, "response.content.encoding") === "base64";
  return {
    method: String(valueAt(entry, "request.method")),
    path: toPath(String(valueAt(entry, "request.url"))),
    status: Number(valueAt(entry, "response.status")) || 0,
    headers: readHarHeaders(valueAt(entry, "response.headers")),
    body: isBase64 ? Buffer.from(body, "base64").toString("utf8") : body,
  };
}

function toPath(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
