/** The little of JSON Schema that a walk through a document needs. */
export interface Shape {
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The one of several alternatives that says what a value is like: what may be null has one that says nothing. */
export const tellingShape = (schema: Shape): Shape =>
  schema.anyOf?.find(({ properties, format }) => properties ?? format) ?? schema;

/** What a field is like: by its name, or as every value of a map. */
export function shapeOfField({ properties, patternProperties }: Shape, name: string): Shape | undefined {
  const [mapped] = Object.values(patternProperties ?? {});
  return properties && Object.hasOwn(properties, name) ? properties[name] : mapped;
}
