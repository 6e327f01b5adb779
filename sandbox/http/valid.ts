import type { TSchema } from "typebox";
import type { FieldError } from "../../src/contract/problem.ts";
import { invalid } from "../refusal.ts";

/** A fault as the schema library tells it. */
interface SchemaFault {
  readonly keyword: string;
  /** JSON Pointer. */
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Our codes by the keyword that was broken; what is not there is `malformed`. */
const CODES: Readonly<Record<string, string>> = {
  type: "wrong_type",
  enum: "not_allowed",
  minLength: "too_short",
  maxLength: "too_long",
  minItems: "too_few",
  maxItems: "too_many",
  minimum: "out_of_range",
  maximum: "out_of_range",
};

/** How a fault points at its place: into a body, or to a parameter. */
type Place = (pointer: string) => Pick<FieldError, "pointer" | "parameter">;

/** Refuses a value that does not follow the schema, naming every fault at once. */
export async function requireValid(value: unknown, schema: TSchema, place: Place): Promise<void> {
  const { Errors } = await import("./schema-errors.ts");
  const [isValid, faults] = Errors(schema, value);
  if (isValid) return;
  const errors = faults.flatMap((fault) => told(fault as SchemaFault, schema, place));
  throw invalid(
    errors.length > 0 ? errors : [{ ...place(""), code: "malformed", detail: "It is malformed." }],
  );
}

function told(
  { keyword, instancePath, params, message }: SchemaFault,
  schema: TSchema,
  place: Place,
): FieldError[] {
  const error = (pointer: string, code: string, text: string): FieldError => ({
    ...place(pointer),
    code,
    detail: `${nameOf(pointer)}: ${text}.`,
  });
  switch (keyword) {
    case "required":
      return names(params, "requiredProperties").map((name) =>
        error(`${instancePath}/${escaped(name)}`, "required", "is missing"),
      );
    case "additionalProperties":
      return names(params, "additionalProperties").map((name) =>
        error(`${instancePath}/${escaped(name)}`, "unknown_field", "there is no such field"),
      );
    // The other half of an additional property.
    case "boolean":
      return [];
    case "enum":
      return [
        error(instancePath, "not_allowed", `must be one of ${names(params, "allowedValues").join(", ")}`),
      ];
    default:
      return [
        error(instancePath, CODES[keyword] ?? "malformed", wanted(keyword, instancePath, schema) ?? message),
      ];
  }
}

/** A pattern says little to a person; the schema's description does. */
function wanted(keyword: string, pointer: string, schema: TSchema): string | null {
  if (keyword !== "pattern" && keyword !== "format") return null;
  const description = schemaAt(schema, pointer)?.description;
  return description === undefined ? null : `must be ${description}`;
}

/** The little of JSON Schema that leads to a field. */
interface Shape {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

function schemaAt(schema: Shape, pointer: string): Shape | undefined {
  let found: Shape | undefined = schema;
  for (const step of pointer.split("/").slice(1)) found = found?.properties?.[step] ?? found?.items;
  return found;
}

const names = (params: object, key: string): string[] => (params as Record<string, string[]>)[key] ?? [];

/** RFC 6901 §3. */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const nameOf = (pointer: string): string => pointer.slice(1) || "The body";
