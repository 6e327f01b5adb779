import { isRecord } from "../../domain/json.ts";

/**
 * What the values at one place of a document look like: no value, except short words that may turn out to be the names of
 * states. {@link alignDocument} decides which names and words may be kept.
 */
export interface Shape {
  /** Form → count: `null`, `integer`, `text:uuid`, `object`. */
  readonly forms: Map<string, number>;
  /** Of objects. */
  readonly fields: Map<string, Shape>;
  /** Of arrays. */
  items: Shape | null;
  /** Short words. */
  readonly words: Set<string>;
  /** Of the objects of an array: the order of each field that is a time. */
  readonly orders: Map<string, ListOrder>;
}

export type ListOrder = "newest-first" | "oldest-first" | "unordered";

export const createShape = (): Shape => ({
  forms: new Map(),
  fields: new Map(),
  items: null,
  words: new Set(),
  orders: new Map(),
});

/** How many objects a shape has. */
export const countObjects = ({ forms }: Shape): number => forms.get("object") ?? 0;

/** Words of a state, and how many of one place are collected: a place with more has no states. */
const WORD = /^[a-z]{1,20}(?:[_-][a-z]{1,20}){0,4}$/i;
const MAX_WORD_LENGTH = 40;
export const MAX_WORDS = 20;

/** Adds a text that may be the name of a state. */
export function addWord(shape: Shape, text: string): void {
  if (text.length <= MAX_WORD_LENGTH && WORD.test(text) && shape.words.size <= MAX_WORDS)
    shape.words.add(text);
}

/** Adds a value to a shape. */
export function addValue(shape: Shape, value: unknown, at: number): void {
  const form = describeForm(value, at);
  shape.forms.set(form, (shape.forms.get(form) ?? 0) + 1);
  if (typeof value === "string") {
    addWord(shape, value);
  } else if (Array.isArray(value)) {
    shape.items ??= createShape();
    for (const item of value) addValue(shape.items, item, at);
    for (const [name, order] of listOrders(value)) {
      const earlier = shape.items.orders.get(name);
      shape.items.orders.set(name, earlier === undefined || earlier === order ? order : "unordered");
    }
  } else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const field = shape.fields.get(name) ?? createShape();
      shape.fields.set(name, field);
      addValue(field, inner, at);
    }
  }
}

const TEXT_FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["empty", /^$/],
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ["ulid", /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["date-time", /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/],
  ["date-time-offset", /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}:\d{2}$/],
  ["integer", /^-?\d+$/],
  ["decimal", /^-?\d+\.\d+$/],
  ["sha256", /^[0-9a-f]{64}$/i],
  ["url", /^https?:\/\//i],
];

/** Ten years: what is further from now is an amount rather than a time. */
const NEAR_MS = 10 * 365 * 86_400_000;

/** `text:uuid`, `integer:seconds`. */
export function describeForm(value: unknown, at: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object" || typeof value === "boolean") return typeof value;
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return "decimal";
    if (Math.abs(value * 1000 - at) < NEAR_MS) return "integer:seconds";
    return Math.abs(value - at) < NEAR_MS ? "integer:milliseconds" : "integer";
  }
  const [form] = TEXT_FORMS.find(([, pattern]) => pattern.test(String(value))) ?? [];
  return form === undefined ? "text" : `text:${form}`;
}

/** The order of the objects of a list by each field that is a time in all of them. */
function listOrders(items: readonly unknown[]): (readonly [name: string, order: ListOrder])[] {
  const [first] = items;
  if (!isRecord(first) || items.length < 2) return [];
  return Object.keys(first).flatMap((name) => {
    const times: number[] = [];
    for (const item of items) {
      const time = toTime(isRecord(item) ? item[name] : null);
      // Most fields are no times: looking at every item for each of many names would take long.
      if (time === null) return [];
      times.push(time);
    }
    if (new Set(times).size < 2) return [];
    const rises = times.some((time, index) => time > (times[index - 1] ?? time));
    const falls = times.some((time, index) => time < (times[index - 1] ?? time));
    return [[name, rises && falls ? "unordered" : rises ? "oldest-first" : "newest-first"] as const];
  });
}

function toTime(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}T/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
