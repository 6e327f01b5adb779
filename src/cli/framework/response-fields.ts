import type { Operation } from "../../contract/operation.ts";
import { usageError } from "../../domain/errors.ts";

interface FieldSchema {
  readonly type?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** A write calls it before it sends: only another write could show the result. @throws ClaimsError `unknown_field` */
export function requireContractFields(
  fields: readonly string[] | undefined,
  ...operations: readonly Operation[]
): void {
  const schemas = operations.map(({ response }) => response.schema as FieldSchema);
  const unknown = (fields ?? []).filter(
    (path) => !schemas.some((schema) => hasField(schema, path.split("."))),
  );
  if (unknown.length === 0) return;
  const known = new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)));
  throw usageError("unknown_field", `no field ${unknown.join(", ")}; nothing was sent`, {
    hint: `the fields are ${[...known].join(", ")}; --json prints others that the service may send`,
  });
}

export const listItemFields = ({ response }: Operation): readonly string[] =>
  Object.values((response.schema as FieldSchema).properties ?? {}).flatMap(({ items }) =>
    Object.keys(items?.properties ?? {}),
  );

/** An object without named properties may have any. */
function hasField(schema: FieldSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (schema === undefined) return false;
  if (name === undefined) return true;
  const { anyOf, items, properties, type } = schema;
  if (anyOf) return anyOf.some((each) => hasField(each, [name, ...rest]));
  if (items) return /^\d+$/.test(name) && hasField(items, rest);
  if (properties) return hasField(properties[name], rest);
  return type === "object" || !(type || schema.const || schema.enum);
}
