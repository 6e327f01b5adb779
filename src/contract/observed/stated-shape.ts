import { isRecord } from "../../domain/json.ts";
import { type ContractReader, type SchemaView, tooComplexError } from "../compare/contract-reader.ts";
import { addWord, createShape, type Shape } from "./shape.ts";

/**
 * A schema states that all objects have its fields, each with all its forms. Every number of forms, up to 7, divides this
 * number of objects.
 */
const OBJECTS = 420;

/** The forms of text that a schema names by its `format`. */
const TEXT_FORMATS: Readonly<Record<string, string>> = {
  uuid: "text:uuid",
  "date-time": "text:date-time",
  date: "text:date",
  uri: "text:url",
};

/** Forms of values by the type of their schema. */
const FORMS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "integer",
  number: "decimal",
  boolean: "boolean",
  null: "null",
  array: "array",
  object: "object",
};

/** Fields of one body with those inside them. The largest response of the bundled contract has some hundred. */
const MAX_FIELDS = 5_000;

/**
 * The shape of the values that schemas of an OpenAPI document allow. A schema that says nothing has a shape without forms,
 * and so has a schema inside itself.
 *
 * @throws ClaimsError `contract_too_complex`
 */
export function toStatedShape(reader: ContractReader, schemas: readonly unknown[]): Shape {
  let left = MAX_FIELDS;
  const toShape = (view: SchemaView): Shape => {
    left -= 1;
    if (left < 0) throw tooComplexError(MAX_FIELDS);
    const shape = createShape();
    const forms = listForms(view);
    for (const form of forms) shape.forms.set(form, OBJECTS / forms.length);
    for (const word of view.values ?? []) addWord(shape, word);
    for (const [name, { schemas: inner }] of view.fields) {
      const field = toShape(reader.readSchema(inner, view.path));
      if (name === "[]") shape.items = field;
      // `*` stands for every key of a map.
      else shape.fields.set(name, field);
    }
    return shape;
  };
  return toShape(reader.readSchema(schemas));
}

/** An object with these fields, such as the parameters of a query. */
export function toStatedObject(
  reader: ContractReader,
  fields: readonly (readonly [name: string, schema: unknown])[],
): Shape {
  const shape = createShape();
  shape.forms.set("object", OBJECTS);
  for (const [name, schema] of fields) shape.fields.set(name, toStatedShape(reader, [schema]));
  return shape;
}

function listForms({ types, values, keywords, fields }: SchemaView): string[] {
  const names = [...fields.keys()];
  const hasFields = names.some((name) => name !== "[]" && name !== "*");
  const stated = types.length > 0 ? types : impliedTypes(values, names, hasFields);
  // OpenAPI 3.0.
  const isNullable = keywords.get("nullable")?.includes("true");
  const forms = [...stated, ...(isNullable ? ["null"] : [])].flatMap((type) => {
    // An object without fields says nothing of them.
    if (type === "object" && names.length === 0) return [];
    if (type === "string") return formatsOf(keywords);
    return FORMS[type] ?? [];
  });
  return [...new Set(forms)];
}

function impliedTypes(values: SchemaView["values"], names: readonly string[], hasFields: boolean): string[] {
  if (hasFields || names.includes("*")) return ["object"];
  if (names.includes("[]")) return ["array"];
  return values ? ["string"] : [];
}

function formatsOf(keywords: SchemaView["keywords"]): string[] {
  const formats = keywords.get("format") ?? [];
  const forms = formats.map((format) => TEXT_FORMATS[String(JSON.parse(format))] ?? "text");
  return forms.length > 0 ? forms : ["text"];
}

/** The schema of a body in JSON, and its content type. */
export function findJsonSchema(content: unknown): { type: string; schema: unknown } | null {
  for (const [name, media] of Object.entries(isRecord(content) ? content : {})) {
    const type = (name.split(";")[0] ?? "").trim().toLowerCase();
    if (/[/+]json$/.test(type) && isRecord(media)) return { type, schema: media.schema };
  }
  return null;
}
