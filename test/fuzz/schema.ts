import fc, { type Arbitrary } from "fast-check";
import { grapheme } from "../support/unicode.ts";
import { hostileText, mostly } from "./text.ts";

/** As in the OpenAPI document and in the table of the control API. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const anything: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, [], {}, "@url@"),
  fc.double(),
  fc.integer(),
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.dictionary(hostileText, fc.jsonValue(), { maxKeys: 3 }),
);

/** How many valid values there are for one that is not, at each place of a value. */
const VALID_TO_INVALID = 24;

/**
 * Values that mostly match a schema.
 *
 * @param name of the field: ids are references to known records
 */
export function mostlyMatching(schema: Schema, name = ""): Arbitrary<unknown> {
  return mostly(matching(schema, name), anything, VALID_TO_INVALID);
}

function matching(schema: Schema, name: string): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => mostlyMatching(each, name)));
  switch (schema.type) {
    case "object":
      return matchingObject(schema);
    case "array": {
      const { items = {}, minItems = 0, maxItems = 5 } = schema;
      return fc.array(mostlyMatching(items, name), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 3),
      });
    }
    case "string":
      return matchingText(schema, name);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function matchingObject({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, mostlyMatching(schema, name)]),
  );
  const complete = fc.record(fields, { requiredKeys: [...required] });
  const incomplete = fc.record(fields, { requiredKeys: [] });
  const extended = fc
    .tuple(complete, fc.dictionary(hostileText, fc.jsonValue(), { minKeys: 1, maxKeys: 2 }))
    .map(([value, more]) => ({ ...value, ...more }));
  return mostly(complete, fc.oneof(incomplete, extended), VALID_TO_INVALID / 2);
}

function matchingText(
  { pattern, format, minLength = 0, maxLength = 300 }: Schema,
  name: string,
): Arbitrary<string> {
  if (/Ids?$|^cursor$/.test(name)) return fc.nat(50).map((index) => `@${name}:${index}@`);
  if (format === "uuid") return fc.uuid();
  if (name === "url")
    return fc
      .constantFrom("", "1", "?status=500", "?times=2", "?status=204")
      .map((end) => `@url@/_sandbox/sink/a${end}`);
  const isLong = { minLength, maxLength: Math.min(maxLength, minLength + 30) };
  const lengths = mostly(
    fc.string({ ...isLong, unit: grapheme }),
    fc.constantFrom(maxLength, maxLength + 1).map((length) => "x".repeat(length)),
    8,
  );
  if (pattern === undefined) return lengths;
  const expression = new RegExp(pattern, "u");
  // fast-check makes no texts for a lookahead.
  return pattern.includes("(?=") || pattern === "\\S"
    ? lengths.map((text) => (expression.test(text) ? text : "Acme"))
    : fc.stringMatching(expression, { size: "small" });
}
