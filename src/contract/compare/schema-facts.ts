import { isRecord } from "../../domain/json.ts";
import { toCanonicalJson } from "../hash.ts";
import { asList, asRecord, type ContractReader, type Node } from "./contract-reader.ts";

type Texts = readonly string[];

/** What the schemas of one field say together. References and alternatives are merged. */
export interface SchemaFacts {
  /** None for any. */
  readonly types: Texts;
  /** The allowed values; none for any. */
  readonly values: Texts;
  /** Keyword → its value; several with "or" between them. */
  readonly keywords: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, SchemaField>;
  readonly isRequired: boolean;
  /** Whether one of the schemas refers to another one. */
  readonly hasReferences: boolean;
}

export interface SchemaField {
  readonly schemas: unknown[];
  isRequired: boolean;
}

/** What a client may notice, in addition to fields, types and values. */
const KEYWORDS: Texts = [
  ...["format", "pattern", "multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"],
  ...["minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ...["additionalProperties", "style", "explode", "encoding", "contentEncoding", "deprecated", "x-basis"],
];

export function readFacts(reader: ContractReader, { schemas, isRequired }: SchemaField): SchemaFacts {
  const nodes = flatten(reader, schemas);
  const keywords = KEYWORDS.map(
    (keyword) => [keyword, listTexts(nodes.map((node) => node[keyword]))] as const,
  );
  return {
    types: listTexts(nodes.flatMap(listTypes)),
    values: listTexts(nodes.flatMap((node) => ("const" in node ? [node.const] : asList(node.enum)))),
    keywords: new Map(
      keywords
        .filter(([, texts]) => texts.length > 0)
        .map(([keyword, texts]) => [keyword, texts.join(" or ")]),
    ),
    fields: readFields(nodes),
    isRequired,
    hasReferences: nodes.some(({ $ref }) => $ref !== undefined),
  };
}

/** The schemas, those that they refer to, and their alternatives, each once. */
function flatten(reader: ContractReader, schemas: readonly unknown[]): readonly Node[] {
  const nodes = new Set(schemas.map(asRecord));
  // The loop also visits what it adds.
  for (const { $ref, allOf, anyOf, oneOf } of nodes) {
    if (typeof $ref === "string") nodes.add(asRecord(reader.findTarget($ref)));
    for (const alternative of [allOf, anyOf, oneOf].flatMap(asList)) nodes.add(asRecord(alternative));
  }
  return [...nodes];
}

const listTypes = ({ type, enum: values, const: value }: Node): readonly unknown[] => {
  if (type !== undefined) return [type].flat();
  return (value === undefined ? asList(values) : [value]).map((each) =>
    each === null ? "null" : typeof each,
  );
};

/** Each once, sorted; schemas in `additionalProperties` are fields. */
const listTexts = (values: readonly unknown[]): Texts =>
  [...new Set(values.filter((value) => value !== undefined).map(toText))].sort();

const toText = (value: unknown): string =>
  typeof value === "object" && value !== null ? toCanonicalJson(value) : String(value);

/** By name; `[]` for the items of a list, `*` for fields of any name. */
function readFields(nodes: readonly Node[]): ReadonlyMap<string, SchemaField> {
  const fields = new Map<string, SchemaField>();
  const add = (name: string, schema: unknown, isRequired = false) => {
    const field = fields.get(name) ?? { schemas: [], isRequired: false };
    field.schemas.push(schema);
    field.isRequired ||= isRequired;
    fields.set(name, field);
  };
  for (const node of nodes) {
    const required = new Set(asList(node.required));
    for (const [name, schema] of Object.entries(asRecord(node.properties)))
      add(name, schema, required.has(name));
    for (const schema of Object.values(asRecord(node.patternProperties))) add("*", schema);
    if (node.items !== undefined) add("[]", node.items);
    if (isRecord(node.additionalProperties)) add("*", node.additionalProperties);
  }
  return fields;
}
