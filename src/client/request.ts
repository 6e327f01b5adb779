import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import { type BrokerAlias, missingPathParams } from "../contract/aliases.ts";
import { type Operation, type ParamsOf, takesIdempotencyKey } from "../contract/operation.ts";
import { ClaimsError } from "../domain/errors.ts";
import type { HttpRequest } from "./http/exchange.ts";
import type { MultipartInput } from "./http/multipart.ts";

/** What one call of an operation takes, beyond the operation itself. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  /** A parameter that is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: object;
  readonly multipart?: MultipartInput;
  readonly accept?: string;
  /** Use the compatibility path (interface §4). */
  readonly legacy?: boolean | undefined;
  /** Use this alias of the operation (interface §4, broker alias map). */
  readonly alias?: BrokerAlias | undefined;
  /** Instead of a fresh random one, for a write that takes one. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined;
}

/** Path parameters must be given where the path has any, and a body where it is JSON. */
export type InputOf<O extends Operation> = keyof (ParamsOf<O> & JsonOf<O>) extends never
  ? [input?: Omit<OperationInput, "params" | "json">]
  : [
      input: Omit<OperationInput, "params" | "json"> &
        (keyof ParamsOf<O> extends never ? unknown : { readonly params: ParamsOf<O> }) &
        JsonOf<O>,
    ];

type JsonOf<O extends Operation> = O extends {
  readonly request: { readonly kind: "json"; readonly schema: infer Schema extends TSchema };
}
  ? { readonly json: Static<Schema> }
  : unknown;

/** A request by method and path, for routes outside the operation table. */
export interface RawRequest {
  readonly method: HttpRequest["method"];
  /** Path and query, from the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a fresh random one, for a write whose headers have none. */
  readonly idempotencyKey?: string | undefined;
  /** Whether it may be sent twice; reads may anyway. */
  readonly isRepeatable?: boolean;
  /** Makes the body anew for every attempt. */
  readonly body?: (() => { headers: Readonly<Record<string, string>>; body: Readable | string }) | undefined;
  /** How the body was named on the command line, where it is a file. */
  readonly source?: string | undefined;
}

/** Whether it may be sent twice without harm. */
export const isSafeToRetry = ({ method, isRepeatable: repeatable }: RawRequest): boolean =>
  repeatable ?? method === "GET";

/** The request that an operation stands for, but for its body. */
export function buildRequest(operation: Operation, input: OperationInput): RawRequest {
  const { accept = "application/json", legacy, alias, idempotencyKey } = input;
  const { params = {}, query, json } = alias ? buildAliasInput(alias, input) : input;
  const template = alias?.path ?? (legacy ? operation.legacyPath : undefined) ?? operation.path;
  const path = expandPath(template, params);
  return {
    method: operation.method,
    path: path + encodeQuery(query),
    headers: { accept, ...(takesIdempotencyKey(operation) && idempotencyHeader(idempotencyKey)) },
    ...(json && { body: () => encodeJson(json) }),
  };
}

/** An id that the path of the alias has no place for goes along in the body or the query; what the alias stands for stays out. */
function buildAliasInput(alias: BrokerAlias, { params = {}, query, json }: OperationInput): OperationInput {
  const ids = Object.fromEntries(missingPathParams(alias).map((name) => [name, params[name]]));
  if (!json) return { params, query: { ...ids, ...query } };
  const own = Object.entries(json).filter(([name]) => !Object.hasOwn(alias.fills ?? {}, name));
  return { params, query, json: { ...ids, ...Object.fromEntries(own) } };
}

const encodeJson = (json: object) => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(json),
});

function encodeQuery(query: OperationInput["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** The same request with header names in lower case, and with an idempotency key where it writes and has none. */
export function addIdempotencyKey(request: RawRequest): RawRequest {
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const key = request.method === "GET" ? {} : idempotencyHeader(request.idempotencyKey);
  return { ...request, headers: { ...key, ...Object.fromEntries(given) } };
}

const idempotencyHeader = (key: string = randomUUID()) => ({ "idempotency-key": key });

const expandPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(params[name] ?? ""));

/** A dot segment, encoded or not, would lead to another route (RFC 3986 §5.2.4), and so would none at all. */
function encodeSegment(value: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value.toWellFormed());
  throw new ClaimsError("usage", "invalid_id", `"${value}" can be no id`, {
    hint: "look at what was given as the id: a variable or a command in its place may have come out empty",
  });
}
