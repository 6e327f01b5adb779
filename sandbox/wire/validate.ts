import type { TSchema } from "typebox";
import type { FieldError } from "../../src/contract/problems.ts";
import { escapePointer } from "../../src/domain/json-pointer.ts";
import { validationError } from "./problem-error.ts";

interface SchemaViolation {
  readonly keyword: string;
  /** JSON Pointer. */
  readonly instancePath: string;
  readonly params: ViolationParams;
  readonly message: string;
}

interface ViolationParams {
  readonly type?: string;
  readonly limit?: number;
  readonly allowedValues?: readonly string[];
  readonly requiredProperties?: readonly string[];
  readonly additionalProperties?: readonly string[];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** Our code and message by the violated keyword. */
const KEYWORD_ERRORS: Readonly<Record<string, (params: ViolationParams) => readonly [string, string]>> = {
  type: ({ type = "" }) => ["wrong_type", `must be ${TYPE_NAMES[type] ?? type}`],
  enum: ({ allowedValues = [] }) => [
    "not_allowed",
    `must be ${allowedValues.length > 1 ? "one of " : ""}${allowedValues.join(", ")}`,
  ],
  minLength: ({ limit }) => ["too_short", `must have at least ${limit} characters`],
  maxLength: ({ limit }) => ["too_long", `must have at most ${limit} characters`],
  minItems: ({ limit }) => ["too_few", `must have at least ${limit}`],
  maxItems: ({ limit }) => ["too_many", `must have at most ${limit}`],
  minimum: ({ limit }) => ["out_of_range", `must be at least ${limit}`],
  maximum: ({ limit }) => ["out_of_range", `must be at most ${limit}`],
};

/** Names the field of a JSON Pointer in an error: a pointer into the body, or a parameter. */
type LocateField = (pointer: string) => Pick<FieldError, "pointer" | "parameter">;

export const toPointer: LocateField = (pointer) => ({ pointer });

export const toParameter: LocateField = (pointer) => ({ parameter: pointer.slice(1) });

/** Refuses a value that does not match the schema. The error lists every violation. */
export async function requireValid(value: unknown, schema: TSchema, locate: LocateField): Promise<void> {
  const { Errors } = await import("./schema-errors.ts");
  const [isValid, violations] = Errors(schema, value);
  if (isValid) return;
  const errors = violations.flatMap((violation) =>
    toFieldErrors(violation as SchemaViolation, schema, locate),
  );
  const malformed = { ...locate(""), code: "malformed", detail: "It is malformed." };
  throw validationError(errors.length > 0 ? errors : [malformed]);
}

function toFieldErrors(
  { keyword, instancePath, params, message }: SchemaViolation,
  schema: TSchema,
  locate: LocateField,
): FieldError[] {
  const forEach = (names: readonly string[] = [], code: string, text: string) =>
    names.map((name) => toFieldError(locate, `${instancePath}/${escapePointer(name)}`, code, text));
  switch (keyword) {
    case "required":
      return forEach(params.requiredProperties, "required", "is missing");
    case "additionalProperties": {
      const kind = locate("").parameter === undefined ? "field" : "parameter";
      return forEach(params.additionalProperties, "unknown_field", `unknown ${kind}`);
    }
    // Follows every additional property.
    case "boolean":
      return [];
    default: {
      // A pattern says little to a person; the description of its schema does.
      const description = findSchema(schema, instancePath)?.description;
      const expected = description === undefined ? message : `must be ${description}`;
      const [code, text] = KEYWORD_ERRORS[keyword]?.(params) ?? ["malformed", expected];
      return [toFieldError(locate, instancePath, code, text)];
    }
  }
}

function toFieldError(locate: LocateField, pointer: string, code: string, text: string): FieldError {
  const name = pointer === "" ? "The body" : pointer.slice(1) || '""';
  return { ...locate(pointer), code, detail: `${name}: ${text}.` };
}

interface Shape {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

function findSchema(schema: Shape, pointer: string): Shape | undefined {
  let found: Shape | undefined = schema;
  for (const step of pointer.split("/").slice(1)) found = found?.properties?.[step] ?? found?.items;
  return found;
}

/** Matches a surrogate without its pair: the u flag reads a pair as one character. */
const LONE_SURROGATE = /\p{Cs}/u;

/** Refuses text with a lone surrogate: JSON can express one (RFC 8259 §8.2), but the store cannot keep it. */
export function requireNoLoneSurrogates(value: unknown, locate: LocateField): void {
  const errors = findLoneSurrogates(value, "").map((pointer) =>
    toFieldError(locate, pointer, "malformed", "contains half a character (a lone surrogate)"),
  );
  if (errors.length > 0) throw validationError(errors);
}

function findLoneSurrogates(value: unknown, pointer: string): string[] {
  if (typeof value === "string") return LONE_SURROGATE.test(value) ? [pointer] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    findLoneSurrogates(inner, `${pointer}/${escapePointer(name)}`),
  );
}
