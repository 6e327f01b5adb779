import { type JsonSchema, listMembers } from "../../contract/json-schema.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { usageError } from "../../domain/errors.ts";

/** A write calls it before it sends: only another write could show the result. @throws ClaimsError `unknown_field` */
export function requireContractFields(
  fields: readonly string[] | undefined,
  ...operations: readonly Operation[]
): void {
  const schemas = operations.map(({ response }) => response.schema as JsonSchema);
  const known = new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)));
  const isKnown = (path: string) => schemas.some((schema) => hasField(schema, path.split(".")));
  const hint = `the fields are ${[...known].join(", ")}; --json prints others that the service may send`;
  requireFields(fields, isKnown, hint);
}

/** For a write that is not one operation. @throws ClaimsError `unknown_field` */
export function requireFields(
  fields: readonly string[] | undefined,
  isKnown: (name: string) => boolean,
  hint: string,
): void {
  const unknown = (fields ?? []).filter((name) => !isKnown(name));
  if (unknown.length === 0) return;
  throw usageError("unknown_field", `no field ${unknown.join(", ")}; nothing was sent`, { hint });
}

export const listItemFields = ({ response }: Operation): readonly string[] =>
  Object.values((response.schema as JsonSchema).properties ?? {}).flatMap(({ items }) =>
    Object.keys(items?.properties ?? {}),
  );

/** An object without named properties may have any. */
function hasField(schema: JsonSchema, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  const members = listMembers(schema);
  if (members.length === 0) return schema.type === "object" || !(schema.type || schema.const || schema.enum);
  return members.some(([step, member]) =>
    step === "|"
      ? hasField(member, path)
      : (step === name || (step === "[]" && /^\d+$/.test(name))) && hasField(member, rest),
  );
}
