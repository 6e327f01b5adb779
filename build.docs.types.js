// JSON Schemas in the notation of TypeScript, which is shorter than JSON.

/**
 * @typedef {object} Schema
 * @property {string} [type]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {readonly Schema[]} [anyOf]
 * @property {Record<string, Schema>} [properties]
 * @property {Record<string, Schema>} [patternProperties]
 * @property {readonly string[]} [required]
 * @property {Schema} [items]
 * @property {string} [description]
 */

const WIDTH = 100;

/** JSON of a schema → the name of its type. @typedef {ReadonlyMap<string, string>} TypeNames */

/** `diligence.report` → `DiligenceReport` @param {string} name */
const toTypeName = (name) =>
  name.replace(/(?:^|\.)(\w)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());

/** The declaration of each schema; a schema within another one is referred to by its name. @param {Record<string, unknown>} schemas */
export function declareTypes(schemas) {
  const all = Object.entries(schemas);
  const objects = all.filter(([, schema]) => /** @type {Schema} */ (schema).properties);
  // Of equal ones the first.
  const names = new Map(
    objects.reverse().map(([name, schema]) => [JSON.stringify(schema), toTypeName(name)]),
  );
  return new Map(
    all.map(([name, schema]) => {
      const own = toTypeName(name);
      const first = names.get(JSON.stringify(schema)) ?? own;
      const text = first === own ? renderInline(/** @type {Schema} */ (schema), names, "") : first;
      return [name, `type ${own} = ${text}`];
    }),
  );
}

/** @param {Schema} schema @param {TypeNames} names @param {string} indent */
const render = (schema, names, indent) =>
  names.get(JSON.stringify(schema)) ?? renderInline(schema, names, indent);

/** @param {Schema} schema @param {TypeNames} names @param {string} indent @returns {string} */
function renderInline(schema, names, indent) {
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => render(each, names, indent)))].join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return renderArray(schema.items ?? {}, names, indent);
  if (schema.type === "object") return renderObject(schema, names, indent);
  return schema.type === "integer" ? "number" : (schema.type ?? "unknown");
}

/** @param {Schema} items @param {TypeNames} names @param {string} indent */
function renderArray(items, names, indent) {
  const text = render(items, names, indent);
  return (items.anyOf || items.enum) && !names.has(JSON.stringify(items)) ? `(${text})[]` : `${text}[]`;
}

/** @param {Schema} schema @param {TypeNames} names @param {string} indent */
function renderObject({ properties = {}, patternProperties, required = [] }, names, indent) {
  const [values] = Object.values(patternProperties ?? {});
  if (values) return `Record<string, ${render(values, names, indent)}>`;
  const deeper = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => ({
    text: `${name}${required.includes(name) ? "" : "?"}: ${render(schema, names, deeper)}`,
    // The unit is in the name.
    comment: name.endsWith("Cents") ? null : findDescription(schema),
  }));
  const line = `{ ${fields.map(({ text }) => text).join("; ")} }`;
  if (fields.length === 0) return "object";
  const isShort = indent.length + line.length <= WIDTH && !line.includes("\n");
  if (isShort && fields.every(({ comment }) => comment === null)) return line;
  const lines = fields.map(({ text, comment }) => `${deeper}${text};${comment ? ` // ${comment}` : ""}`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** The comment after a field; an object that has lines of its own has none. @param {Schema} schema */
const findDescription = (schema) =>
  schema.description ?? schema.anyOf?.find(({ description }) => description)?.description ?? null;
