import { Buffer } from "node:buffer";
import { usageError } from "../../../domain/errors.ts";
import { headerValues } from "../../../domain/http-headers.ts";
import { valueAt } from "../../../domain/json.ts";
import { SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import type { HeaderPair, ReceivedDelivery } from "../../../domain/webhooks/input-formats/delivery.ts";
import { findRoute } from "../../routes.ts";
import type { createLearner } from "./learner.ts";
import type { Exchange } from "./samples.ts";

export interface RecordingCounts {
  readonly exchanges: number;
  readonly deliveries: number;
  readonly others: number;
}

/**
 * Learns from a HAR: exchanges with the service, and deliveries to a receiver.
 *
 * @param shownAs the file as the user wrote it
 * @param baseUrl of the service, if the recording has several
 * @throws ClaimsError `invalid_input`
 */
export function addRecording(
  learner: ReturnType<typeof createLearner>,
  text: string,
  shownAs: string,
  baseUrl?: string,
): RecordingCounts {
  const counts = { exchanges: 0, deliveries: 0, others: 0 };
  const exchanges: RecordedExchange[] = [];
  for (const entry of readEntries(text, shownAs)) {
    const delivery = readHarRequest(valueAt(entry, "request"));
    const at = Date.parse(String(valueAt(entry, "startedDateTime"))) || 0;
    if (headerValues(delivery.headers, SIGNATURE_HEADER).length > 0) {
      learner.addDelivery(delivery.headers, delivery.body.toString("utf8"), at);
      counts.deliveries += 1;
    } else exchanges.push({ ...readExchange(entry), at });
  }
  const service = baseUrl?.replace(/\/+$/, "") ?? requireOneService(exchanges, shownAs);
  for (const { url, ...exchange } of exchanges) {
    const isOwn = service === null || url.startsWith(`${service}/`);
    if (isOwn && learner.add(exchange)) counts.exchanges += 1;
    else counts.others += 1;
  }
  return counts;
}

interface RecordedExchange extends Exchange {
  readonly url: string;
}

/** The base URL of the only service with routes of the contract; null if there is none. */
function requireOneService(exchanges: readonly RecordedExchange[], shownAs: string): string | null {
  const services = new Set(exchanges.flatMap((exchange) => findBaseUrl(exchange) ?? []));
  const [first = null, second, ...others] = services;
  if (second === undefined) return first;
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  throw usageError(
    "invalid_input",
    `${shownAs} has traffic with several services: ${first}, ${second}${more}`,
    { hint: "name the service with --base-url" },
  );
}

function findBaseUrl({ method, path, url }: RecordedExchange): string | null {
  const route = findRoute(method, path);
  if (!route || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  const segments = route.path.split("/").length - 1;
  return origin + pathname.split("/").slice(0, -segments).join("/");
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
  usageError("invalid_input", message, { hint: "save the traffic as a HAR with content", cause });

function readExchange(entry: unknown) {
  const text = valueAt(entry, "response.content.text");
  const body = typeof text === "string" ? text : "";
  const isBase64 = valueAt(entry, "response.content.encoding") === "base64";
  const url = String(valueAt(entry, "request.url"));
  const request = readHarRequest(valueAt(entry, "request"));
  return {
    method: String(valueAt(entry, "request.method")),
    url,
    path: toPath(url),
    status: Number(valueAt(entry, "response.status")) || 0,
    headers: readHarHeaders(valueAt(entry, "response.headers")),
    body: isBase64 ? Buffer.from(body, "base64").toString("utf8") : body,
    requestBody: request.body.toString("utf8"),
    idempotencyKey: headerValues(request.headers, "Idempotency-Key")[0],
  };
}

function toPath(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The delivery of one `request` of a HAR. */
function readHarRequest(request: unknown): ReceivedDelivery {
  const text = valueAt(request, "postData.text");
  // Some tools encode binary bodies as those of responses (HAR 1.2, content.encoding).
  const isBase64 = valueAt(request, "postData.encoding") === "base64";
  const body = Buffer.from(typeof text === "string" ? text : "", isBase64 ? "base64" : "utf8");
  return { headers: readHarHeaders(valueAt(request, "headers")), body };
}

/** The headers of a request or a response. */
const readHarHeaders = (list: unknown): readonly HeaderPair[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown): HeaderPair[] => {
    const name = valueAt(each, "name");
    return typeof name === "string" ? [[name, String(valueAt(each, "value") ?? "")]] : [];
  });
