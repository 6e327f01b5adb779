import type { TSchema } from "typebox";
import { recordTime, type TimeFormat } from "../../engine/grease/times.ts";

/** The little of JSON Schema that a walk to the times needs. */
interface Shape {
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The document with every time that its schema names in this format; dates without a time stay. */
export function withTimes(document: object, schema: TSchema, format: TimeFormat): object {
  if (format === null) return document;
  const changed = formatted(document, schema as Shape, format) as object;
  return JSON.stringify(changed) === JSON.stringify(document) ? document : changed;
}

function formatted(value: unknown, { anyOf, ...own }: Shape, format: TimeFormat): unknown {
  const shape = anyOf?.find(({ properties, format: each }) => properties ?? each) ?? own;
  if (typeof value === "string") return shape.format === "date-time" ? recordTime(value, format) : value;
  if (typeof value !== "object" || value === null) return value;
  const { items, properties, patternProperties } = shape;
  if (Array.isArray(value)) return items ? value.map((each) => formatted(each, items, format)) : value;
  const [mapped] = Object.values(patternProperties ?? {});
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const innerShape = properties && Object.hasOwn(properties, name) ? properties[name] : mapped;
      return [name, innerShape ? formatted(inner, innerShape, format) : inner];
    }),
  );
}
