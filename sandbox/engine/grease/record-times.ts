import type { TSchema } from "typebox";
import { findDescribedShape, findFieldShape, type SchemaShape } from "./schema-shape.ts";
import { formatRecordTime, type TimeFormat } from "./times.ts";

/** The document with every time that its schema names in this format; dates without a time stay. */
export function formatTimes(document: object, schema: TSchema, format: TimeFormat): object {
  if (format === null) return document;
  const changed = formatValue(document, schema as SchemaShape, format) as object;
  return JSON.stringify(changed) === JSON.stringify(document) ? document : changed;
}

function formatValue(value: unknown, schema: SchemaShape, format: TimeFormat): unknown {
  const shape = findDescribedShape(schema);
  if (typeof value === "string")
    return shape.format === "date-time" ? formatRecordTime(value, format) : value;
  if (typeof value !== "object" || value === null) return value;
  const { items } = shape;
  if (Array.isArray(value)) return items ? value.map((each) => formatValue(each, items, format)) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const innerShape = findFieldShape(shape, name);
      return [name, innerShape ? formatValue(inner, innerShape, format) : inner];
    }),
  );
}
