/** What this program reads of a JSON Schema. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly "x-basis"?: string;
  readonly "x-source"?: string;
}

/** The schemas that stand directly within a schema, and how each is reached: a name, `[]` for the items of a list, `*` for fields of any name, `|` for an alternative. */
export const listMembers = ({ properties = {}, items, patternProperties = {}, anyOf = [] }: JsonSchema) => [
  ...Object.entries(properties),
  ...(items ? [["[]", items] as const] : []),
  ...Object.values(patternProperties).map((schema) => ["*", schema] as const),
  ...anyOf.map((schema) => ["|", schema] as const),
];

/** Every named field within a schema with its path, the outer ones first: `data[].id`. */
export function* listFields(schema: JsonSchema, path = ""): Generator<readonly [string, JsonSchema]> {
  for (const [step, member] of listMembers(schema)) {
    const isList = step === "[]" || path === "";
    const own = step === "|" ? path : isList ? path + step : `${path}.${step}`;
    if (!["|", "[]", "*"].includes(step)) yield [own, member];
    yield* listFields(member, own);
  }
}

/** A nullable schema has two alternatives, of which one describes something. */
export const withoutNull = (schema: JsonSchema): JsonSchema =>
  schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
