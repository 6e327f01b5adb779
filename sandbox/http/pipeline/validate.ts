import type { TSchema } from "typebox";
import type { FieldError } from "../../../src/contract/problems.ts";
import { validationError } from "../../wire/problem-error.ts";

/** A fault as the schema library tells it. */
interface SchemaViolation {
  readonly keyword: string;
  /** JSON Pointer. */
  readonly instancePath: string;
  readonly params: ViolationParams;
  readonly message: string;
}

/** What the keywords used here say of a fault beside its place. */
interface ViolationParams {
  readonly type?: string;
  readonly limit?: number;
  readonly allowedValues?: readonly string[];
  readonly requiredProperties?: readonly string[];
  readonly additionalProperties?: readonly string[];
}

/** Our code and words by the keyword that was broken. */
const KEYWORD_ERRORS: Readonly<
  Record<string, (params: ViolationParams) => readonly [code: string, text: string]>
> = {
  type: ({ type = "" }) => ["wrong_type", `must be ${TYPE_NAMES[type] ?? type}`],
  enum: ({ allowedValues = [] }) => ["not_allowed", `must be ${describeChoices(allowedValues)}`],
  minLength: ({ limit }) => ["too_short", `must have at least ${limit} characters`],
  maxLength: ({ limit }) => ["too_long", `at most ${limit} characters`],
  minItems: ({ limit }) => ["too_few", `must have at least ${limit}`],
  maxItems: ({ limit }) => ["too_many", `at most ${limit}`],
  minimum: ({ limit }) => ["out_of_range", `must be at least ${limit}`],
  maximum: ({ limit }) => ["out_of_range", `must be at most ${limit}`],
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

const describeChoices = (values: readonly string[]): string =>
  values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`;

/** How a fault points at its place: into a body, or to a parameter. */
type LocateField = (pointer: string) => Pick<FieldError, "pointer" | "parameter">;

/** Refuses a value that does not follow the schema, naming every fault at once. */
export async function requireValid(value: unknown, schema: TSchema, place: LocateField): Promise<void> {
  const { Errors } = await import("./schema-errors.ts");
  const [isValid, faults] = Errors(schema, value);
  if (isValid) return;
  const errors = faults.flatMap((fault) => toFieldErrors(fault as SchemaViolation, schema, place));
  throw validationError(
    errors.length > 0 ? errors : [{ ...place(""), code: "malformed", detail: "It is malformed." }],
  );
}

function toFieldErrors(
  { keyword, instancePath, params, message }: SchemaViolation,
  schema: TSchema,
  place: LocateField,
): FieldError[] {
  const error = (pointer: string, code: string, text: string): FieldError => ({
    ...place(pointer),
    code,
    detail: `${describeField(pointer)}: ${text}.`,
  });
  const each = (names: readonly string[] = [], code: string, text: string) =>
    names.map((name) => error(`${instancePath}/${escapePointer(name)}`, code, text));
  switch (keyword) {
    case "required":
      return each(params.requiredProperties, "required", "is missing");
    case "additionalProperties":
      return each(params.additionalProperties, "unknown_field", `there is no such ${describeTarget(place)}`);
    // The other half of an additional property.
    case "boolean":
      return [];
    default: {
      const [code, text] = KEYWORD_ERRORS[keyword]?.(params) ?? [
        "malformed",
        describeExpected(instancePath, schema) ?? message,
      ];
      return [error(instancePath, code, text)];
    }
  }
}

const describeTarget = (place: LocateField): string =>
  place("").parameter === undefined ? "field" : "parameter";

/** A pattern says little to a person; the schema's description does. */
function describeExpected(pointer: string, schema: TSchema): string | null {
  const description = findSchema(schema, pointer)?.description;
  return description === undefined ? null : `must be ${description}`;
}

/** The little of JSON Schema that leads to a field. */
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

/** RFC 6901 §3. */
const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const describeField = (pointer: string): string => (pointer === "" ? "The body" : pointer.slice(1) || '""');

/**
 * Refuses text with half a character in it, a surrogate on its own: JSON can write it (RFC 8259 §8.2), the store cannot
 * keep it, and another text would be stored than was sent.
 */
export function requireNoLoneSurrogates(value: unknown, place: LocateField): void {
  const errors = findLoneSurrogates(value, "").map((pointer) => ({
    ...place(pointer),
    code: "malformed",
    detail: `${describeField(pointer)}: has half a character in it (a surrogate on its own).`,
  }));
  if (errors.length > 0) throw validationError(errors);
}

/** With the u flag a pair of surrogates is one character of another kind. */
const LONE_SURROGATE = /\p{Cs}/u;

/** Pointers at the texts with half a character. */
function findLoneSurrogates(value: unknown, pointer: string): string[] {
  if (typeof value === "string") return LONE_SURROGATE.test(value) ? [pointer] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    findLoneSurrogates(inner, `${pointer}/${escapePointer(name)}`),
  );
}
