import * as Type from "typebox";
import type { Fields } from "../domain/json.ts";
import { type BrokerAlias, missingPathParams } from "./aliases.ts";
import { assumed, withLabel } from "./labels.ts";
import type { Operation } from "./operations/operation.ts";
import { closedObject, MAX_ID_LENGTH } from "./schemas.ts";

/** Of an id that its operation has no schema for. */
const idSchema = () => Type.String({ minLength: 1, maxLength: MAX_ID_LENGTH, description: "an id" });

/** The row as the alias accepts requests for it; its response is the operation's own. */
export function toAliasOperation(operation: Operation, alias: BrokerAlias): Operation {
  const { params, query, request, ...row } = operation;
  const { path, fills = {} } = alias;
  const names = missingPathParams(alias);
  // The canonical path names the ids; that the alias takes them here is ours.
  const ids = Object.fromEntries(
    names.map((name) => [name, withLabel(assumed("aliases"), params?.properties[name] ?? idSchema())]),
  );
  const common = { ...row, path, ...(params && names.length === 0 && { params }) };
  if (request?.kind === "json") {
    const fields = Object.entries(request.schema.properties).filter(([name]) => !Object.hasOwn(fills, name));
    const schema = closedObject({ ...ids, ...Object.fromEntries(fields) });
    return { ...common, ...(query && { query }), request: { ...request, schema } };
  }
  const aliasQuery = names.length === 0 ? query : closedObject({ ...ids, ...query?.properties });
  return { ...common, ...(request && { request }), ...(aliasQuery && { query: aliasQuery }) };
}

interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields | null;
  readonly json: Fields | null;
}

export function toCanonicalRequest(
  operation: Operation,
  alias: BrokerAlias,
  { params, query, json }: RequestParts,
): RequestParts {
  const names = missingPathParams(alias);
  const source = json ?? query ?? {};
  const ids = Object.fromEntries(names.map((name) => [name, String(source[name])]));
  const omitIds = (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  return {
    params: { ...params, ...ids },
    query: operation.query && query ? omitIds(query) : null,
    json: json && { ...omitIds(json), ...alias.fills },
  };
}
