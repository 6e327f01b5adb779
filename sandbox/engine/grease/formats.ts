import { isRecord } from "../../../src/domain/json.ts";
import { formatTime } from "../scheduler/clock.ts";
import type { GreaseChoices } from "./choices.ts";

/** The name of a header in another case, which means the same (RFC 9110 §5.1). */
export function formatHeaderName(name: string, headerCase: GreaseChoices["headerCase"]): string {
  if (headerCase === "lower") return name.toLowerCase();
  if (headerCase === "upper") return name.toUpperCase();
  if (headerCase === null) return name;
  return name.replace(/./g, (letter, index: number) =>
    index % 2 ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** The signing timestamp of a time in milliseconds; unix seconds without grease (product.md §5). */
export function formatHeaderTime(time: number, format: GreaseChoices["timestampFormat"]): string {
  if (format === "milliseconds") return String(time);
  return format === "rfc3339" ? formatTime(time) : String(Math.floor(time / 1000));
}

/** A time of a record, which is RFC 3339 with Z without grease. */
export function formatRecordTime(text: string, format: GreaseChoices["timestampFormat"]): string | number {
  if (format === null) return text;
  if (format === "rfc3339") return text.replace(/\.\d+Z$/, "+00:00");
  const time = Date.parse(text);
  return format === "milliseconds" ? time : Math.floor(time / 1000);
}

export function serializePayload(document: object, form: GreaseChoices["payloadForm"]): string {
  switch (form) {
    case "sorted":
      return JSON.stringify(reorderFields(document, (names) => names.sort()));
    case "reversed":
      return JSON.stringify(reorderFields(document, (names) => names.reverse()));
    case "indented":
      return JSON.stringify(document, null, 2);
    case "spaced":
      return serializeWithSpaces(JSON.parse(JSON.stringify(document)));
    case "newline":
      return `${JSON.stringify(document)}\n`;
    case null:
      return JSON.stringify(document);
  }
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
