/** The little of JSON Schema that a walk through a document needs. */
export interface SchemaShape {
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly patternProperties?: Readonly<Record<string, SchemaShape>>;
  readonly items?: SchemaShape;
  readonly anyOf?: readonly SchemaShape[];
}

/** The one of several alternatives that says what a value is like: what may be null has one that says nothing. */
export const findDescribedShape = (schema: SchemaShape): SchemaShape =>
  schema.anyOf?.find(({ properties, format }) => properties ?? format) ?? schema;

/** What a field is like: by its name, or as every value of a map. */
export function findFieldShape(
  { properties, patternProperties }: SchemaShape,
  name: string,
): SchemaShape | undefined {
  const [mapped] = Object.values(patternProperties ?? {});
  return properties && Object.hasOwn(properties, name) ? properties[name] : mapped;
}
