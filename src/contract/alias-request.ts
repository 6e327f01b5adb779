import Type, { type TObject, type TProperties } from "typebox";
import { type BrokerAlias, missingPathParams } from "./aliases.ts";
import { assumed, withLabel } from "./labels.ts";
import type { Operation } from "./operation.ts";

/** Characters of an id that its operation says nothing about. */
const MAX_ID_LENGTH = 100;

/** The row as the alias takes requests for it; what it answers is the operation's own. */
export function toAliasOperation(operation: Operation, alias: BrokerAlias): Operation {
  const { params, query, request, ...row } = operation;
  const names = missingPathParams(alias);
  // The canonical path names them; that the alias takes them here is ours.
  const ids = Object.fromEntries(
    names.map((name) => [name, withLabel(assumed("aliases"), params?.properties[name] ?? idSchema())]),
  );
  const path = { path: alias.path, ...(params && names.length === 0 && { params }) };
  if (request?.kind !== "json") {
    const aliasQuery = addIdsToQuery(ids, query);
    return { ...row, ...path, ...(request && { request }), ...(aliasQuery && { query: aliasQuery }) };
  }
  const { fills = {} } = alias;
  const ownFields = Object.entries(request.schema.properties).filter(([name]) => !Object.hasOwn(fills, name));
  const schema = closedObject({ ...ids, ...Object.fromEntries(ownFields) });
  return { ...row, ...path, ...(query && { query }), request: { ...request, schema } };
}

const idSchema = () => Type.String({ minLength: 1, maxLength: MAX_ID_LENGTH, description: "an id" });

const addIdsToQuery = (ids: TProperties, query: TObject | undefined): TObject | undefined =>
  Object.keys(ids).length === 0 ? query : closedObject({ ...ids, ...query?.properties });

const closedObject = (properties: TProperties): TObject =>
  Type.Object(properties, { additionalProperties: false });

type Fields = Readonly<Record<string, unknown>>;

/** What a request asks for, beyond its operation. */
interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  /** Null where there is none. */
  readonly query: Fields | null;
  /** The JSON body; null where there is none. */
  readonly json: Fields | null;
}

/** What one that {@link toAliasOperation} admits asks for on the canonical path. */
export function toCanonicalRequest(
  operation: Operation,
  alias: BrokerAlias,
  request: RequestParts,
): RequestParts {
  const names = missingPathParams(alias);
  const { params, query, json } = request;
  const source = json ?? query ?? {};
  const ids = Object.fromEntries(names.map((name) => [name, String(source[name])]));
  const omitIds = (given: Fields): Fields =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  return {
    params: { ...params, ...ids },
    query: operation.query && query ? omitIds(query) : null,
    json: json && { ...omitIds(json), ...alias.fills },
  };
}
