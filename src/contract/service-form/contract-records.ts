import type { TSchema } from "typebox";
import { EVENT } from "../event.ts";
import { type JsonSchema, withoutNull } from "../json-schema.ts";
import { findComponentName } from "../openapi-components.ts";
import type { Operation } from "../operations/operation.ts";
import { ALL_OPERATIONS } from "../operations/operations.ts";
import type { ValueKind } from "./codecs.ts";

/** An object of the contract: a component, or a place in one, such as `Job.progress`. */
export interface ContractRecord {
  readonly name: string;
  readonly fields: ReadonlyMap<string, ContractField>;
}

export interface ContractField {
  readonly name: string;
  readonly isNullable: boolean;
  readonly isDocumented: boolean;
  /** What the value is: one record, a list or a map of records, or a value that a codec can write. */
  readonly shape: "record" | "list" | "map" | ValueKind | "other";
  /** Of a record, or of the records of a list or a map. */
  readonly record?: ContractRecord;
  readonly words: readonly string[];
}

/** How an operation responds: with one record, or with a page of records. */
export interface ContractResponse {
  readonly record: ContractRecord;
  readonly isPage: boolean;
}

function buildRecord({ properties = {} }: JsonSchema, name: string): ContractRecord {
  const fields = new Map<string, ContractField>();
  for (const [field, schema] of Object.entries(properties))
    fields.set(field, buildField(field, schema, `${name}.${field}`));
  return { name, fields };
}

function buildField(name: string, given: JsonSchema, place: string): ContractField {
  const schema = withoutNull(given);
  const nested = findNested(schema);
  const field = {
    name,
    isNullable: schema !== given,
    isDocumented: given["x-basis"] === "documented",
    words: (schema.enum ?? []).map(String),
  };
  if (nested === null) return { ...field, shape: kindOf(schema, name) };
  const recordName = findComponentName(nested.schema) ?? place + placeSuffix(nested.shape);
  return { ...field, shape: nested.shape, record: buildRecord(nested.schema, recordName) };
}

/** The schema of the records that a value consists of, or null if it has none. */
function findNested(schema: JsonSchema) {
  const { properties, patternProperties = {}, items } = schema;
  if (properties) return { shape: "record", schema } as const;
  if (items?.properties) return { shape: "list", schema: items } as const;
  const [mapped] = Object.values(patternProperties);
  return mapped?.properties ? ({ shape: "map", schema: mapped } as const) : null;
}

export function placeSuffix(shape: ContractField["shape"]): string {
  if (shape === "list") return "[]";
  return shape === "map" ? ".*" : "";
}

function kindOf({ type, format, items, enum: words }: JsonSchema, name: string): ContractField["shape"] {
  if (format === "date-time") return "time";
  if (format === "date") return "date";
  if (type === "integer") return name.endsWith("Cents") ? "money" : "integer";
  if (type === "boolean") return "boolean";
  if (type === "string" || words) return "text";
  return items?.type === "string" ? "texts" : "other";
}

const responses = new Map<string, ContractResponse>();

export function findContractResponse({ id, response }: Pick<Operation, "id" | "response">): ContractResponse {
  const known = responses.get(id);
  if (known) return known;
  const schema = response.schema as JsonSchema;
  const { data, nextCursor } = schema.properties ?? {};
  const isPage = data?.items !== undefined && nextCursor !== undefined;
  const described = isPage ? (data.items as JsonSchema) : schema;
  const record = buildRecord(described, findComponentName(described) ?? id);
  const built = { record, isPage };
  responses.set(id, built);
  return built;
}

export const buildRequestRecord = ({ id, request }: Operation): ContractRecord | null =>
  request?.kind === "json" ? buildRecord(request.schema as TSchema as JsonSchema, `${id} request`) : null;

export const EVENT_RECORD: ContractRecord = buildRecord(EVENT.payload as TSchema as JsonSchema, EVENT.id);

let allRecords: ReadonlyMap<string, ContractRecord> | undefined;

/** Every record of a response or an event, by its name. */
export function listContractRecords(): ReadonlyMap<string, ContractRecord> {
  allRecords ??= collectRecords();
  return allRecords;
}

function collectRecords(): ReadonlyMap<string, ContractRecord> {
  const found = new Map<string, ContractRecord>();
  const add = (record: ContractRecord): void => {
    if (found.has(record.name)) return;
    found.set(record.name, record);
    for (const { record: inner } of record.fields.values()) if (inner) add(inner);
  };
  for (const operation of ALL_OPERATIONS)
    if (operation.id !== "document.openapi") add(findContractResponse(operation).record);
  add(EVENT_RECORD);
  return found;
}

/** The record that has the rows of another one, if it has none itself. */
export const INHERITED_RECORDS: Readonly<Record<string, string>> = { CreatedEndpoint: "Endpoint" };
