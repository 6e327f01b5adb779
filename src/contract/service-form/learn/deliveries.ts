import { type HeaderList, headerValues } from "../../../domain/http-headers.ts";
import { isRecord, parseJsonText } from "../../../domain/json.ts";
import { TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import { EVENT } from "../../event.ts";
import type { ServiceForm } from "../service-form.ts";
import { findValueForm } from "./value-forms.ts";

type DeliveryForm = NonNullable<ServiceForm["deliveries"]>;

/** A proxy writes the others as it likes. */
const isServiceHeader = (name: string): boolean =>
  EVENT.headers.some(([documented]) => documented.toLowerCase() === name.toLowerCase());

/** How a delivery is written; what is as in the contract is absent. */
export function describeDelivery(
  headers: HeaderList,
  body: string,
  payload: Readonly<Record<string, unknown>>,
): DeliveryForm {
  const [timestamp] = headerValues(headers, TIMESTAMP_HEADER);
  const [type = ""] = headerValues(headers, "Content-Type");
  const form = {
    contentType: /^application\/[a-z.-]+\+json$/.test(type) ? type : undefined,
    payload: describePayload(body, payload, Object.keys(EVENT.payload.properties)),
    headerCase: describeHeaderCase(headers.map(([name]) => name).filter(isServiceHeader)),
    timestamp: describeTimestamp(timestamp ?? ""),
  };
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined));
}

function describeHeaderCase(names: readonly string[]): DeliveryForm["headerCase"] {
  if (names.every((name) => name === name.toLowerCase())) return "lower";
  if (names.every((name) => name === name.toUpperCase())) return "upper";
  return names.every((name) => /^(?:[A-Z][a-z0-9]*)(?:-[A-Z][a-z0-9]*)*$/.test(name)) ? undefined : "mixed";
}

function describeTimestamp(value: string): DeliveryForm["timestamp"] {
  const codec = findValueForm("time", [value]);
  return codec === "epoch-seconds-text" ? undefined : codec === null ? "rfc3339" : codec;
}

/** How the JSON of a payload is written. @param fields in the order of the contract */
function describePayload(
  text: string,
  payload: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): DeliveryForm["payload"] {
  const compact = JSON.stringify(payload);
  if (text === `${compact}\n`) return "newline";
  if (text === JSON.stringify(payload, null, 2)) return "indented";
  if (text !== compact) return text.replace(/\s/g, "") === compact.replace(/\s/g, "") ? "spaced" : undefined;
  const known = Object.keys(payload).filter((name) => fields.includes(name));
  const isInOrder = (order: readonly string[]) =>
    known.length > 1 && known.join() === order.filter((name) => known.includes(name)).join();
  if (isInOrder(fields.toSorted())) return "sorted";
  return isInOrder(fields.toReversed()) ? "reversed" : undefined;
}

export function readPreviews(document: unknown): { headers: HeaderList; body: string }[] {
  if (!isRecord(document)) return [];
  const body = Object.values(document).find(
    (value) => typeof value === "string" && isRecord(parseJsonText(value)),
  );
  const lists = Object.values(document).filter(Array.isArray).flat() as unknown[];
  return lists.flatMap((preview) => {
    if (!isRecord(preview) || typeof body !== "string") return [];
    const headers = Object.values(preview).find(isSignedHeaders);
    return headers ? [{ headers: Object.entries(headers), body }] : [];
  });
}

const isSignedHeaders = (value: unknown): value is Record<string, string> =>
  isRecord(value) &&
  Object.keys(value).some((name) => name.toLowerCase() === TIMESTAMP_HEADER.toLowerCase()) &&
  Object.values(value).every((each) => typeof each === "string");
