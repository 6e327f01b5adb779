import { usageError } from "../../../../src/domain/errors.ts";
import { isRecord } from "../../../../src/domain/json.ts";
import { formatTime } from "../../scheduler/clock.ts";
import type { GreaseVariants } from "./variants.ts";

/** The name of a header in another case, which means the same (RFC 9110 §5.1). */
export function formatHeaderName(name: string, headerCase: GreaseVariants["headerCase"]): string {
  if (headerCase === "lower") return name.toLowerCase();
  if (headerCase === "upper") return name.toUpperCase();
  if (headerCase === null) return name;
  return name.replace(/./g, (letter, index: number) =>
    index % 2 ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** The signing timestamp of a time in milliseconds; unix seconds without grease (product.md §5). */
export function formatHeaderTime(time: number, format: GreaseVariants["timestampFormat"]): string {
  if (format === "milliseconds") return String(time);
  return format === "rfc3339" ? formatTime(time) : String(Math.floor(time / 1000));
}

export function serializePayload(document: object, form: GreaseVariants["payloadForm"]): string {
  if (form === null) return JSON.stringify(document);
  // As its reader gets it: without `undefined`, and with what a `toJSON` returns.
  const json: unknown = JSON.parse(JSON.stringify(document));
  if (form === "newline") return `${JSON.stringify(json)}\n`;
  return form === "reversed" ? JSON.stringify(reverseFields(json)) : serializeWithSpaces(json);
}

/** A line of a saved state holds a payload (product.md §5). */
const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/** @throws ClaimsError `validation_failed` */
export function requirePayloadSize(bytes: number): void {
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  throw usageError("validation_failed", "the payload would have more than 8 MiB", {
    hint: "emit an event with less data",
  });
}

function reverseFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseFields);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).reverse();
  return Object.fromEntries(names.map((name) => [name, reverseFields(value[name])]));
}

/** With a space after each comma and colon, as Python writes JSON. */
function serializeWithSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serializeWithSpaces).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value).map(
    (name) => `${JSON.stringify(name)}: ${serializeWithSpaces(value[name])}`,
  );
  return `{${fields.join(", ")}}`;
}
