import { categorizeState } from "../../domain/diligence/states.ts";
import { isRecord } from "../../domain/json.ts";
import { parseTimestamp } from "../../domain/webhooks/timestamp.ts";
import type { FieldSchema } from "./align.ts";
import { findRoute } from "./exchange.ts";
import type { ObservedService } from "./observed-service.ts";
import { namePlace } from "./places.ts";
import { rememberSent } from "./sent-form.ts";

/** Reads the documents of one operation of an observed service. */
export interface ContractForm {
  /** Gives a document the names and the forms of the contract. What was not observed stays as it was sent. */
  readDocument(document: unknown): unknown;
  /** The same for a row of a dataset, which can come without its document. */
  readRow(row: unknown): unknown;
  /** Whether `--fields` can name a field by this path, with names of the contract or of the service. */
  hasField(path: string): boolean;
}

export type FindContractForm = (
  request: Readonly<Record<"method" | "path", string>>,
) => ContractForm | undefined;

type SeenField = ObservedService["fields"][number];

/** How to read the value at one place. */
interface Reader {
  read(value: unknown): unknown;
  has(path: readonly string[]): boolean;
}

/** The forms of the contract for the responses of an observed service. */
export function createContractForms(service: ObservedService): FindContractForm {
  const forms = new Map<string, ContractForm>();
  return ({ method, path }) => {
    const operation = findRoute(method, path)?.operation;
    if (!operation) return undefined;
    const { id, response } = operation;
    const form = forms.get(id) ?? createForm(service, id, response.schema as FieldSchema);
    forms.set(id, form);
    return form;
  };
}

function createForm(service: ObservedService, operation: string, schema: FieldSchema): ContractForm {
  const responses = service.responses.filter((each) => each.operation === operation && each.status < 400);
  const lists = responses.flatMap(({ list }) => list?.items ?? []);
  const document = createReader(service, operation, schema, operation, lists);
  const wrappers = responses.flatMap(({ wrapper }) => wrapper ?? []);
  const { rows } = schema.properties ?? {};
  const place = namePlace(schema, operation);
  const row = rows?.items && createReader(service, operation, rows.items, `${place}.rows[]`);
  return {
    readDocument(given) {
      const wrapper = isRecord(given) ? wrappers.find((name) => isRecord(given[name])) : undefined;
      if (!isRecord(given) || wrapper === undefined) return document.read(given);
      const { [wrapper]: inner, ...others } = given;
      return rememberSent({ ...others, ...Object(document.read(inner)) }, given);
    },
    readRow: (given) => (row ? row.read(given) : given),
    hasField(path) {
      const names = path.split(".");
      return document.has(wrappers.includes(names[0] ?? "") ? names.slice(1) : names);
    },
  };
}

/** @param lists the names of the field that has the items of a page */
function createReader(
  service: ObservedService,
  operation: string,
  given: FieldSchema,
  place: string,
  lists: readonly string[] = [],
): Reader {
  const schema = given.anyOf?.find(({ type }) => type !== "null") ?? given;
  const { properties, items, patternProperties = {} } = schema;
  if (properties) return createObjectReader(service, operation, schema, namePlace(schema, place), lists);
  if (items) {
    const item = createReader(service, operation, items, `${place}[]`);
    return {
      read: (value) => (Array.isArray(value) ? rememberSent(value.map(item.read), value) : value),
      has: ([index, ...rest]) => index === undefined || (/^\d+$/.test(index) && item.has(rest)),
    };
  }
  const [mapped] = Object.values(patternProperties);
  if (!mapped) return { read: (value) => value, has: () => true };
  const each = createReader(service, operation, mapped, `${place}.*`);
  return {
    read(value) {
      if (!isRecord(value)) return value;
      const entries = Object.entries(value).map(([name, inner]) => [name, each.read(inner)]);
      return rememberSent(Object.fromEntries(entries), value);
    },
    has: ([name, ...rest]) => name === undefined || each.has(rest),
  };
}

function createObjectReader(
  service: ObservedService,
  operation: string,
  { properties = {} }: FieldSchema,
  place: string,
  lists: readonly string[],
): Reader {
  const seen = service.fields.filter((each) => each.place === place);
  // A form that only another operation has is a weaker guess.
  const own = seen.filter((each) => each.operation === operation);
  const others = seen.filter(({ field }) => own.every((each) => each.field !== field));
  const readers = new Map<string, Reader>();
  const isCompleted = (state: string) =>
    service.completedStates.includes(state) || categorizeState(state) === "completed";
  const renames = new Map<string, { readonly field: string; readonly inner: string | undefined }>();
  for (const [field, schema] of Object.entries(properties)) {
    const forms = [...own, ...others].filter((each) => each.field === field);
    const whole = createReader(service, operation, schema, `${place}.${field}`);
    readers.set(field, {
      ...whole,
      read: (value) => readScalar(whole.read(value), field, schema, { forms, isCompleted }),
    });
    for (const { name } of forms) {
      const [outer, inner] = name?.split(".") ?? [];
      if (outer !== undefined && name !== field) renames.set(outer, { field, inner });
    }
  }
  for (const name of lists) if (name !== "data") renames.set(name, { field: "data", inner: undefined });

  const readEntry = (name: string, value: unknown, whole: Readonly<Record<string, unknown>>) => {
    const rename = renames.get(name);
    const reader = readers.get(rename?.field ?? name);
    if (!rename || Object.hasOwn(whole, rename.field)) {
      const plain = readers.get(name);
      return [[name, plain ? plain.read(value) : value] as const];
    }
    const { field, inner } = rename;
    if (inner === undefined) return [[field, reader?.read(value)] as const];
    if (!isRecord(value) || !Object.hasOwn(value, inner)) return [[name, value] as const];
    const { [inner]: moved, ...rest } = value;
    const kept = Object.keys(rest).length > 0 ? [[name, rest] as const] : [];
    return [[field, reader?.read(moved)] as const, ...kept];
  };
  const hasItems = "nextCursor" in properties && properties.data !== undefined;
  return {
    read(value) {
      if (Array.isArray(value) && hasItems) return readers.get("data")?.read(value);
      if (!isRecord(value)) return value;
      const entries = Object.entries(value).flatMap(([name, inner]) => readEntry(name, inner, value));
      return rememberSent(Object.fromEntries(entries), value);
    },
    has([name, ...rest]) {
      if (name === undefined) return true;
      const { field = name, inner } = (readers.has(name) ? undefined : renames.get(name)) ?? {};
      const isInner = inner !== undefined && rest.length > 0;
      if (isInner && rest[0] !== inner) return false;
      return readers.get(field)?.has(isInner ? rest.slice(1) : rest) ?? false;
    },
  };
}

/** Times as RFC 3339 in UTC, numbers as numbers, amounts in cents, and a completed job by our word. */
function readScalar(value: unknown, field: string, given: FieldSchema, seen: SeenScalar): unknown {
  const { type, format, enum: words } = given.anyOf?.find((each) => each.type !== "null") ?? given;
  if (format === "date-time") return readTime(value);
  if (words?.includes("completed")) return isText(value) && seen.isCompleted(value) ? "completed" : value;
  if (type !== "integer" && type !== "number") return value;
  const number = isText(value) && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  const isAmount = field.endsWith("Cents") && seen.forms.some(isDollars);
  return isAmount && typeof number === "number" ? Math.round(number * 100) : number;
}

interface SeenScalar {
  readonly forms: readonly SeenField[];
  isCompleted(state: string): boolean;
}

const isDollars = ({ name, forms }: SeenField): boolean =>
  !/cents$/i.test(name ?? "") && forms.some((form) => form.endsWith("decimal"));

function readTime(value: unknown): unknown {
  const isOurs = isText(value) && value.endsWith("Z");
  const time = !isOurs && (isText(value) || typeof value === "number") ? parseTimestamp(String(value)) : null;
  return time === null ? value : new Date(time).toISOString();
}

const isText = (value: unknown): value is string => typeof value === "string";
