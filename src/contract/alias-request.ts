import Type, { type TObject, type TProperties } from "typebox";
import { type BrokerAlias, idsBeside } from "./aliases.ts";
import { assumed, labelled } from "./basis.ts";
import type { Operation } from "./operation.ts";

/** Characters of an id that its operation says nothing about. */
const LONGEST_ID = 100;

/** The row as the alias takes requests for it; what it answers is the operation's own. */
export function overAlias(operation: Operation, alias: BrokerAlias): Operation {
  const { params, query, request, ...row } = operation;
  const names = idsBeside(alias);
  // The canonical path names them; that the alias takes them here is ours.
  const ids = Object.fromEntries(
    names.map((name) => [name, labelled(assumed("aliases"), params?.properties[name] ?? anId())]),
  );
  const path = { path: alias.path, ...(params && names.length === 0 && { params }) };
  if (request?.kind !== "json") {
    const asked = besides(ids, query);
    return { ...row, ...path, ...(request && { request }), ...(asked && { query: asked }) };
  }
  const { fills = {} } = alias;
  const own = Object.entries(request.schema.properties).filter(([name]) => !Object.hasOwn(fills, name));
  const schema = closed({ ...ids, ...Object.fromEntries(own) });
  return { ...row, ...path, ...(query && { query }), request: { ...request, schema } };
}

const anId = () => Type.String({ minLength: 1, maxLength: LONGEST_ID, description: "an id" });

const besides = (ids: TProperties, query: TObject | undefined): TObject | undefined =>
  Object.keys(ids).length === 0 ? query : closed({ ...ids, ...query?.properties });

const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });

type Fields = Readonly<Record<string, unknown>>;

/** What a request asks for, beyond its operation. */
interface Asked {
  readonly params: Readonly<Record<string, string>>;
  /** Null where there is none. */
  readonly query: Fields | null;
  /** The JSON body; null where there is none. */
  readonly json: Fields | null;
}

/** What one that {@link overAlias} admits asks for on the canonical path. */
export function canonicalRequest(operation: Operation, alias: BrokerAlias, asked: Asked): Asked {
  const names = idsBeside(alias);
  const { params, query, json } = asked;
  const source = json ?? query ?? {};
  const ids = Object.fromEntries(names.map((name) => [name, String(source[name])]));
  const without = (given: Fields): Fields =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  return {
    params: { ...params, ...ids },
    query: operation.query && query ? without(query) : null,
    json: json && { ...without(json), ...alias.fills },
  };
}
