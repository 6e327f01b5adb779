// JSON Schemas in the notation of TypeScript, for the reference. A printer of declarations (json-schema-to-typescript) writes no
// short object in one line, and no description behind its field.

/** @typedef {import("../../src/contract/json-schema.ts").JsonSchema & { required?: readonly string[], minItems?: number, maxItems?: number }} Schema */

/** Finds the name of the type that is declared for a schema. @typedef {(schema: Schema) => string | undefined} Notation */

const WIDTH = 100;

/** Keywords that would change the type, and that no schema uses yet. */
const UNSUPPORTED = ["$ref", "allOf", "oneOf", "if", "prefixItems", "unevaluatedProperties"];

/**
 * Refers to these schemas by their names, wherever they stand within another one; of equal ones, the first has the declaration.
 *
 * @param {Readonly<Record<string, Schema>>} schemas by the names of their types
 * @returns {Notation}
 */
export function createNotation(schemas) {
  const objects = Object.entries(schemas).filter(([, schema]) => schema.properties);
  const names = new Map(objects.toReversed().map(([name, schema]) => [toKey(schema), name]));
  return (schema) => names.get(toKey(schema));
}

/** What stands behind `type NAME =`. @param {string} name @param {Schema} schema @param {Notation} notation */
export function printDeclared(name, schema, notation) {
  const first = notation(schema) ?? name;
  return first === name ? printStructure(schema, notation) : first;
}

/** Equal for schemas that differ in their labels alone. @param {Schema} schema */
const toKey = (schema) =>
  JSON.stringify(schema, (name, value) => (/^x-(basis|source)$/.test(name) ? undefined : value));

/** The type of the values that a schema describes. @param {Schema} schema @param {Notation} notation @param {string} [indent] */
export const printType = (schema, notation, indent = "") =>
  notation(schema) ?? printStructure(schema, notation, indent);

/** The same without the name that is declared for it, as its declaration needs it. @param {Schema} schema @param {Notation} notation @returns {string} */
function printStructure(schema, notation, indent = "") {
  const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
  if (unsupported) throw new Error(`the printer of types does not know ${unsupported}`);
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map((each) => printType(each, notation, indent)))].join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array" && schema.minItems === 2 && schema.maxItems === 2)
    return `[${Array(2)
      .fill(printType(schema.items ?? {}, notation, indent))
      .join(", ")}]`;
  if (schema.type === "array") return printArray(schema.items ?? {}, notation, indent);
  if (schema.type === "object") return printObject(schema, notation, indent);
  return schema.type === "integer" ? "number" : (schema.type ?? "unknown");
}

/** @param {Schema} items @param {Notation} notation @param {string} indent */
function printArray(items, notation, indent) {
  const text = printType(items, notation, indent);
  return (items.anyOf || items.enum) && !notation(items) ? `(${text})[]` : `${text}[]`;
}

/** @param {readonly string[]} names */
const printNames = (names) => names.map((name) => JSON.stringify(name)).join(" | ");

/** @param {Schema} schema @param {Notation} notation @param {string} indent */
function printObject({ properties = {}, patternProperties, required = [] }, notation, indent) {
  const [values] = Object.values(patternProperties ?? {});
  if (values) return `Record<string, ${printType(values, notation, indent)}>`;
  const schemas = Object.values(properties);
  const [first] = schemas;
  // As for the grades A to X.
  if (schemas.length > 2 && first?.properties && schemas.every((schema) => toKey(schema) === toKey(first)))
    return `Record<${printNames(Object.keys(properties))}, ${printType(first, notation, indent)}>`;
  const deeper = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => ({
    text: `${printKey(name)}${required.includes(name) ? "" : "?"}: ${printType(schema, notation, deeper)}`,
    // The unit is in the name, and a line is short.
    comment: name.endsWith("Cents") ? null : findDescription(schema),
  }));
  const line = `{ ${fields.map(({ text }) => text).join("; ")} }`;
  if (fields.length === 0) return "object";
  const isShort = indent.length + line.length <= WIDTH && !line.includes("\n");
  if (isShort && fields.every(({ comment }) => comment === null)) return line;
  const lines = fields.map(({ text, comment }) =>
    comment === null ? `${deeper}${text};` : `${deeper}${text}; // ${comment}`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** A name of a field, in quotes where it is not an identifier. @param {string} name */
const printKey = (name) => (/^[\w$]+$/.test(name) && !/^\d/.test(name) ? name : JSON.stringify(name));

/** The comment of a field; an object that has lines of its own has none. @param {Schema} schema */
const findDescription = (schema) =>
  schema.description ?? schema.anyOf?.find(({ description }) => description)?.description ?? null;
