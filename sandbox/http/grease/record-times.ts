import type { TSchema } from "typebox";
import { type Shape, shapeOfField, tellingShape } from "../../engine/grease/shape.ts";
import { recordTime, type TimeFormat } from "../../engine/grease/times.ts";

/** The document with every time that its schema names in this format; dates without a time stay. */
export function withTimes(document: object, schema: TSchema, format: TimeFormat): object {
  if (format === null) return document;
  const changed = formatted(document, schema as Shape, format) as object;
  return JSON.stringify(changed) === JSON.stringify(document) ? document : changed;
}

function formatted(value: unknown, schema: Shape, format: TimeFormat): unknown {
  const shape = tellingShape(schema);
  if (typeof value === "string") return shape.format === "date-time" ? recordTime(value, format) : value;
  if (typeof value !== "object" || value === null) return value;
  const { items } = shape;
  if (Array.isArray(value)) return items ? value.map((each) => formatted(each, items, format)) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const innerShape = shapeOfField(shape, name);
      return [name, innerShape ? formatted(inner, innerShape, format) : inner];
    }),
  );
}
