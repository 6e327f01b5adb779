// JSON Schemas in the notation of TypeScript, for the reference. A printer of declarations (json-schema-to-typescript) writes no
// short object in one line, and no description behind its field.

/** @typedef {import("../../src/contract/json-schema.ts").JsonSchema & { required?: readonly string[], minItems?: number, maxItems?: number }} Schema */

/**
 * @typedef {object} Notation
 * @property {(schema: Schema) => string | undefined} nameOf finds the type that is declared for a schema
 * @property {(schema: Schema) => Relative | undefined} findRelative finds a declared type that has most fields of a schema
 */

/** @typedef {{ name: string, omitted: readonly string[], added: readonly string[] }} Relative */

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
  return {
    nameOf: (schema) => names.get(toKey(schema)),
    findRelative(schema) {
      // Only a type that is declared before this one, so that no two refer to each other.
      const index = objects.findIndex(([, each]) => toKey(each) === toKey(schema));
      const others = index === -1 ? objects : objects.slice(0, index);
      return others.flatMap(([name, other]) => relate(schema, name, other) ?? []).at(0);
    },
  };
}

/** Nothing if the two have little in common. @param {Schema} schema @param {string} name @param {Schema} other */
function relate(schema, name, other) {
  /** @param {Schema} one @param {Schema} another */
  const listOtherFields = (one, another) =>
    Object.keys(one.properties ?? {}).filter((field) => fieldKey(one, field) !== fieldKey(another, field));
  const omitted = listOtherFields(other, schema);
  const added = listOtherFields(schema, other);
  const shared = Object.keys(other.properties ?? {}).length - omitted.length;
  const isClose = shared > 3 && shared > 2 * omitted.length && shared >= added.length;
  return isClose ? { name, omitted, added } : undefined;
}

/** Equal for fields with one type, which are both required or both optional. @param {Schema} schema @param {string} field */
const fieldKey = ({ properties = {}, required = [] }, field) =>
  `${required.includes(field)} ${toKey(properties[field] ?? {})}`;

/** What stands behind `type NAME =`. @param {string} name @param {Schema} schema @param {Notation} notation */
export function printDeclared(name, schema, notation) {
  const first = notation.nameOf(schema) ?? name;
  return first === name ? printStructure(schema, notation) : first;
}

/** Equal for schemas that differ in their labels alone. @param {Schema} schema */
const toKey = (schema) =>
  JSON.stringify(schema, (name, value) => (/^x-(basis|source)$/.test(name) ? undefined : value));

/** The type of the values that a schema describes. @param {Schema} schema @param {Notation} notation @param {string} [indent] */
export const printType = (schema, notation, indent = "") =>
  notation.nameOf(schema) ?? printStructure(schema, notation, indent);

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
  if (schema.type === "object") return printRelated(schema, notation, indent);
  return schema.type === "integer" ? "number" : (schema.type ?? "unknown");
}

/** @param {Schema} items @param {Notation} notation @param {string} indent */
function printArray(items, notation, indent) {
  const text = printType(items, notation, indent);
  return (items.anyOf || items.enum) && !notation.nameOf(items) ? `(${text})[]` : `${text}[]`;
}

/** An object by the declared type that it has most fields of. @param {Schema} schema @param {Notation} notation @param {string} indent */
function printRelated(schema, notation, indent) {
  const relative = notation.findRelative(schema);
  if (relative === undefined) return printObject(schema, notation, indent);
  const { name, omitted, added } = relative;
  const base = omitted.length > 0 ? `Omit<${name}, ${printNames(omitted)}>` : name;
  const entries = Object.entries(schema.properties ?? {}).filter(([field]) => added.includes(field));
  return added.length === 0
    ? base
    : `${base} & ${printObject({ ...schema, properties: Object.fromEntries(entries) }, notation, indent)}`;
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
