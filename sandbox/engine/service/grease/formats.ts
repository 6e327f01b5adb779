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

/** @throws ClaimsError `validation_failed` if indentation would make it far larger */
export function serializePayload(document: object, form: GreaseVariants["payloadForm"]): string {
  if (form === null) return JSON.stringify(document);
  // As its reader gets it: without `undefined`, and with what a `toJSON` returns.
  const json: unknown = JSON.parse(JSON.stringify(document));
  switch (form) {
    case "sorted":
      return JSON.stringify(reorderFields(json, (names) => names.sort()));
    case "reversed":
      return JSON.stringify(reorderFields(json, (names) => names.reverse()));
    case "indented":
      requirePayloadSize(countIndentation(json));
      return JSON.stringify(json, null, 2);
    case "spaced":
      return serializeWithSpaces(json);
    case "newline":
      return `${JSON.stringify(json)}\n`;
  }
}

/** The characters that indentation adds: a thousand for each item of a list 500 levels deep. */
function countIndentation(value: unknown, level = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    count += 2 * level + 3 + countIndentation(inner, level + 1);
  return count === 0 ? 0 : count + 2 * level + 1;
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

function reorderFields(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => reorderFields(each, order));
  if (!isRecord(value)) return value;
  const names = order(Object.keys(value));
  return Object.fromEntries(names.map((name) => [name, reorderFields(value[name], order)]));
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
