import type { HeaderList } from "../../../domain/http-headers.ts";
import { isRecord, isTooDeep } from "../../../domain/json.ts";
import type { Operation } from "../../operations/operation.ts";
import { findRoute } from "../../routes.ts";
import { parseDocument } from "../dataset-form.ts";
import type { Place } from "../places.ts";
import type { OpenPoint } from "../service-form.ts";

/** A request and its response, from the client or from a recording. */
export interface Exchange {
  readonly method: string;
  /** Path and query; a prefix before the path of the service is ignored. */
  readonly path: string;
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
  /** The body of the request, if it is known. */
  readonly requestBody?: string;
  readonly idempotencyKey?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Sample {
  readonly operation: Operation;
  readonly status: number;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly body: string;
  /** Undefined for a body that is not JSON, or is nested too deeply. */
  readonly document: unknown;
  readonly requestBody: string;
  readonly idempotencyKey: string | undefined;
  readonly at: number;
}

/** Undefined for an exchange that is not one of the contract, and for a redirect. */
export function toSample(exchange: Exchange): Sample | undefined {
  const { method, path, status, headers, body, requestBody = "", idempotencyKey, at } = exchange;
  const operation = findRoute(method, path)?.operation;
  if (!operation || status < 200 || (status >= 300 && status < 400)) return undefined;
  const named = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const type = (named["content-type"]?.split(";")[0] ?? "").trim().toLowerCase();
  const parsed = parseDocument(operation, type, body);
  const document = isTooDeep(parsed) ? undefined : parsed;
  const request = { requestBody, idempotencyKey };
  return { operation, status, path, headers: named, type, body, document, ...request, at };
}

export const lastSegment = ({ path }: Pick<Sample, "path">): string =>
  /[^/]*$/.exec(path.replace(/[?#].*$/s, ""))?.[0] ?? "";

export const queryOf = ({ path }: Pick<Sample, "path">): URLSearchParams =>
  new URLSearchParams(path.split("?")[1] ?? "");

/** A value of a document and the way to it. `*` is each item of a list. */
export interface Leaf {
  readonly place: Place;
  readonly value: unknown;
}

const MAX_LEAVES = 20_000;

/** The values of a document that are neither objects nor lists of objects. */
export function listLeaves(document: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, place: Place): void => {
    if (leaves.length >= MAX_LEAVES) return;
    if (isRecord(value)) for (const [name, inner] of Object.entries(value)) visit(inner, [...place, name]);
    else if (Array.isArray(value) && value.some(isRecord))
      for (const each of value) visit(each, [...place, "*"]);
    else leaves.push({ place, value });
  };
  visit(document, []);
  return leaves;
}

export const openPoint = (subject: string, seen: string, reason: string): OpenPoint => ({
  subject,
  seen,
  reason,
});

/** The same letters in any case style. */
export const normalizeName = (name: string): string => name.replace(/[^\p{L}\d]/gu, "").toLowerCase();

/** Words, with a few digits after one of them: `other_chapter99_duty`. */
const IDENTIFIER = /^[_@$]*[a-z]+(?:(?:[_:-]|\d{1,3}[_-]?)[a-z]+)*\d{0,3}$/i;
const MAX_NAME_LENGTH = 40;

export const isIdentifier = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && IDENTIFIER.test(name);
