import { isRecord } from "../../domain/json.ts";
import type { ErrorForm, HeaderCase, PayloadForm, TimestampForm } from "./observed-service.ts";

/** The names of content types, also of a vendor. One with a number in it could hold an id. */
const TYPE_NAME = /^[a-z]+\/(?!.*\d{3})[a-z][a-z0-9.+-]{0,59}$/;

/** The content type of a header, or `other` for one whose name is not kept. */
export function describeType(header: string): string {
  const type = (header.split(";")[0] ?? "").trim().toLowerCase();
  return type === "" || TYPE_NAME.test(type) ? type : "other";
}

const KNOWN_HEADERS: ReadonlySet<string> = new Set(
  `location link etag retry-after ratelimit ratelimit-policy idempotent-replayed x-request-id cache-control
   x-service-broker-alias x-service-canonical-path x-service-compatibility-lifecycle`.split(/\s+/),
);

/** The headers of a response whose names may be kept: those of the contract, in lower case. */
export const listKnownHeaders = (names: readonly string[]): string[] =>
  names.map((name) => name.toLowerCase()).filter((name) => KNOWN_HEADERS.has(name));

/** How a service writes its errors. */
export function describeErrorForm(type: string, document: unknown): ErrorForm {
  if (type === "text/html") return "html";
  if (type.startsWith("text/")) return "text";
  if (!isRecord(document)) return "other";
  if (type === "application/problem+json" || ("title" in document && "status" in document)) return "problem";
  if (isRecord(document.error)) return "error";
  if (Array.isArray(document.errors)) return "errors";
  return "message" in document ? "message" : "other";
}

/** How the headers of a delivery are written, compared with the interface. */
export function describeHeaderCase(names: readonly string[]): HeaderCase {
  if (names.every((name) => name === name.toLowerCase())) return "lower";
  if (names.every((name) => name === name.toUpperCase())) return "upper";
  return names.every((name) => /^(?:[A-Z][a-z0-9]*)(?:-[A-Z][a-z0-9]*)*$/.test(name))
    ? "documented"
    : "mixed";
}

export function describeTimestamp(value: string): TimestampForm {
  if (/^\d{9,11}$/.test(value)) return "seconds";
  if (/^\d{12,14}$/.test(value)) return "milliseconds";
  return /^\d{4}-\d{2}-\d{2}T/.test(value) ? "rfc3339" : "other";
}

/**
 * How the JSON of a payload is written.
 *
 * @param fields in the order of the contract
 */
export function describePayload(
  text: string,
  payload: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): PayloadForm {
  const compact = JSON.stringify(payload);
  if (text === `${compact}\n`) return "newline";
  if (text === JSON.stringify(payload, null, 2)) return "indented";
  if (text !== compact) return text.replace(/\s/g, "") === compact.replace(/\s/g, "") ? "spaced" : "other";
  const known = Object.keys(payload).filter((name) => fields.includes(name));
  const isInOrder = (order: readonly string[]) =>
    known.length > 1 && known.join() === order.filter((name) => known.includes(name)).join();
  if (isInOrder(fields.toSorted())) return "sorted";
  return isInOrder(fields.toReversed()) ? "reversed" : "compact";
}
