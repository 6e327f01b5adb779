import type { JsonSchema } from "../../../src/contract/json-schema.ts";

export function mapBySchema(
  value: unknown,
  schema: JsonSchema,
  replace: (value: unknown, shape: JsonSchema) => unknown,
): unknown {
  // A nullable value has two alternatives, of which one describes something.
  const shape = schema.anyOf?.find(({ properties, format }) => properties ?? format) ?? schema;
  const { properties, patternProperties, items } = shape;
  if (typeof value !== "object" || value === null) return replace(value, shape);
  if (Array.isArray(value)) return items ? value.map((item) => mapBySchema(item, items, replace)) : value;
  const [mapped] = Object.values(patternProperties ?? {});
  const fields = Object.entries(value).map(([name, inner]) => {
    const field = properties && Object.hasOwn(properties, name) ? properties[name] : mapped;
    return [name, field ? mapBySchema(inner, field, replace) : inner];
  });
  return replace(Object.fromEntries(fields), shape);
}
