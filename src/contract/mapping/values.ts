import type { JobState } from "../../domain/diligence/states.ts";
import { isRecord } from "../../domain/json.ts";
import { type JsonSchema, withoutNull } from "../json-schema.ts";
import type { AmountFormat, JobWords, Mapping } from "./mapping.ts";

/** Cents → dollars with two decimals. */
export function writeAmount(value: unknown, format: AmountFormat | undefined): unknown {
  if (format === undefined || typeof value !== "number") return value;
  const digits = String(Math.abs(value)).padStart(3, "0");
  const mark = format === "decimal" ? "." : ",";
  return `${value < 0 ? "-" : ""}${digits.slice(0, -2)}${mark}${digits.slice(-2)}`;
}

/** Dollars, as a number or as text, → cents; a value of another form stays. */
export function readAmount(value: unknown, format: AmountFormat | undefined): unknown {
  if (format === undefined)
    return typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  const text = typeof value === "number" ? value.toFixed(4) : String(value);
  const plain = format === "decimal" ? text.replaceAll(",", "") : text.replaceAll(".", "").replace(",", ".");
  const amount = typeof value === "number" ? text : plain;
  return /^-?\d+(\.\d+)?$/.test(amount) ? Math.round(Number(amount) * 100) : value;
}

const TIME_WRITERS: Readonly<Record<NonNullable<Mapping["times"]>, (date: Date) => unknown>> = {
  rfc3339: (date) => date.toISOString(),
  "epoch-seconds": (date) => Math.floor(date.getTime() / 1000),
  "epoch-ms": (date) => date.getTime(),
  "http-date": (date) => date.toUTCString(),
};

export const createTimeWriter = (format: Mapping["times"]) => (value: unknown) => {
  const date = new Date(typeof value === "string" ? value : Number.NaN);
  return format === undefined || Number.isNaN(date.getTime()) ? value : TIME_WRITERS[format](date);
};

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d /;

/** A time by its looks, as RFC 3339; any other value stays. */
export function readTime(value: unknown): unknown {
  const number = typeof value === "string" && /^\d{9,14}(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === "number")
    return number < 1e8 ? value : toTime(number < 1e11 ? number * 1000 : number, value);
  return typeof value === "string" && HTTP_DATE.test(value) ? toTime(value, value) : value;
}

function toTime(time: number | string, otherwise: unknown): unknown {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? otherwise : date.toISOString();
}

/** Changes the times of a document that has the names of the contract. */
export const mapTimes = (value: unknown, schema: JsonSchema, map: (time: unknown) => unknown): unknown =>
  mapDocument(value, schema, (each, { format }) =>
    format === "date-time" && each !== null ? map(each) : each,
  );

/** Changes the values of a document that the schema describes, the inner ones first. */
export function mapDocument(
  value: unknown,
  given: JsonSchema,
  map: (value: unknown, schema: JsonSchema) => unknown,
): unknown {
  if (value === undefined) return value;
  const schema = withoutNull(given);
  const { properties, items, patternProperties = {} } = schema;
  if (Array.isArray(value))
    return map(items ? value.map((each) => mapDocument(each, items, map)) : value, schema);
  const [member] = Object.values(patternProperties);
  if (!isRecord(value) || !(properties ?? member)) return map(value, schema);
  const members = Object.entries(value).map(([name, each]) => {
    const inner = properties && Object.hasOwn(properties, name) ? properties[name] : member;
    return [name, inner ? mapDocument(each, inner, map) : each];
  });
  return map(Object.fromEntries(members), schema);
}

/** The state that a word of the service means; undefined if the mapping does not say. */
export const readWord = (words: JobWords | undefined, word: unknown): JobState | undefined =>
  words && Object.hasOwn(words, String(word)) ? words[String(word)] : undefined;

/** The first word with this meaning; numbers stay numbers. */
export function writeWord(words: JobWords | undefined, state: unknown): unknown {
  const found = Object.entries(words ?? {}).find(([, meaning]) => meaning === state);
  if (!found) return state;
  return /^(0|[1-9]\d{0,14})$/.test(found[0]) ? Number(found[0]) : found[0];
}
