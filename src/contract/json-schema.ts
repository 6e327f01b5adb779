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

/** How a part is reached: a name, `[]` for the items of a list, `*` for fields of any name, `|` for an alternative. */
type Step = string;

/** Returns the schemas that stand directly within a schema. */
export const listMembers = ({ properties = {}, items, patternProperties = {}, anyOf = [] }: JsonSchema) => [
  ...Object.entries(properties),
  ...(items ? [["[]", items] as const] : []),
  ...Object.values(patternProperties).map((schema) => ["*", schema] as const),
  ...anyOf.map((schema) => ["|", schema] as const),
];

/** Combines a schema from its innermost parts. `path` is that of a document: `data[].id`. */
export function foldSchema<R>(
  schema: JsonSchema,
  combine: (schema: JsonSchema, members: readonly R[], path: string, step: Step) => R,
  path = "",
  step: Step = "|",
): R {
  const members = listMembers(schema).map(([name, member]) =>
    foldSchema(member, combine, extendPath(path, name), name),
  );
  return combine(schema, members, path, step);
}

function extendPath(path: string, step: Step): string {
  if (step === "|") return path;
  return step === "[]" || path === "" ? path + step : `${path}.${step}`;
}

/** A nullable schema has two alternatives, of which one describes something. */
export const withoutNull = (schema: JsonSchema): JsonSchema =>
  schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
