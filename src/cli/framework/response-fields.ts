import { type JsonSchema, listMembers } from "../../contract/json-schema.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { usageError } from "../../domain/errors.ts";

/** A write calls it before it sends: only another write could show the result. @throws ClaimsError `unknown_field` */
export function requireContractFields(
  fields: readonly string[] | undefined,
  ...operations: readonly Operation[]
): void {
  const schemas = operations.map(({ response }) => response.schema as JsonSchema);
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
