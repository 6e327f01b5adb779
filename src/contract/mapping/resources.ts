import { type JsonSchema, withoutNull } from "../json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../operations/operations.ts";
import { FIXED_KEYS, type LineKind } from "./mapping.ts";

const { claims, clients, diligence, litigation, notifications, offers, orgs, revenue, scans, webhooks } =
  OPERATIONS;

/** What a mapping calls the records of the contract, with the operations that respond with them. */
const RECORDS = {
  submitted: [diligence.submit],
  job: [diligence.status, diligence.resume],
  report: [diligence.report],
  dataset: [diligence.dataset],
  endpoint: [webhooks.create],
  client: [clients.create],
  claim: [claims.create],
  offer: [offers.create],
  scan: [scans.create, scans.get],
  summary: [scans.summary],
  dashboard: [revenue.dashboard],
  organization: [orgs.get, orgs.onboard],
  notification: [notifications.create],
  enrollment: [litigation.enroll],
  testEvent: [webhooks.test],
} as const satisfies Readonly<Record<string, readonly Operation[]>>;

/** A later list names the items of an earlier one. */
export const LISTS = {
  clients: clients.list,
  claims: claims.list,
  endpoints: webhooks.endpoints,
  deliveries: webhooks.deliveries,
  offers: offers.list,
  ledger: revenue.ledger,
} as const satisfies Readonly<Record<string, Operation>>;

export type ListName = keyof typeof LISTS;

export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[];

export type RecordName = keyof typeof RECORDS;

export interface Field {
  /** As a mapping names it: the id of a job is `id`. */
  readonly name: string;
  /** The names of the contract on the way to it. */
  readonly path: readonly string[];
  readonly isAmount: boolean;
}

/** A record or a list of the contract. */
export interface Resource {
  readonly name: RecordName | ListName;
  readonly operations: readonly Operation[];
  readonly isList: boolean;
  /** Of the record, or of an item of the list. */
  readonly schema: JsonSchema;
  readonly fields: readonly Field[];
}

function createResource(name: Resource["name"], operations: readonly Operation[], isList: boolean): Resource {
  const whole = operations[0]?.response.schema as JsonSchema;
  const schema = (isList ? whole.properties?.data?.items : whole) as JsonSchema;
  const isJob = name === "job" || name === "submitted";
  const fields = listFields(schema).map((field) =>
    isJob && field.name === "jobId" ? { ...field, name: "id" } : field,
  );
  return { name, operations, isList, schema, fields };
}

function listFields({ properties = {} }: JsonSchema, outer: readonly string[] = []): Field[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const schema = withoutNull(given);
    const path = [...outer, name];
    const isAmount = schema.type === "integer" && name.endsWith("Cents");
    const inner = schema.properties ? listFields(schema, path) : [];
    return [{ name: path.join("."), path, isAmount }, ...inner];
  });
}

/** Made at the first use, because only a service with a mapping needs them. */
let all: readonly Resource[] | undefined;

export const listResources = (): readonly Resource[] =>
  (all ??= [
    ...Object.entries(RECORDS).map(([name, operations]) =>
      createResource(name as RecordName, operations, false),
    ),
    ...Object.entries(LISTS).map(([name, operation]) => createResource(name as ListName, [operation], true)),
  ]);

export const findResource = ({ id }: Operation): Resource | undefined =>
  listResources().find(({ operations }) => operations.some((operation) => operation.id === id));

const namesOf = (schema: JsonSchema | undefined): readonly string[] => Object.keys(schema?.properties ?? {});

export const listQueryNames = ({ query }: Operation): readonly string[] =>
  namesOf(query as JsonSchema | undefined).filter((name) => name !== "limit" && name !== "cursor");

export const listBodyNames = ({ request }: Operation): readonly string[] =>
  request?.kind === "json" ? namesOf(request.schema as JsonSchema) : [];

let allKeys: ReadonlyMap<string, LineKind> | undefined;

/** Every key of a mapping, with the kind of its line. */
export const listKeys = (): ReadonlyMap<string, LineKind> =>
  (allKeys ??= new Map<string, LineKind>([
    ...listResources().flatMap(listKeysOf),
    ...ALL_OPERATIONS.flatMap(listQueryNames).map((name) => [`query.${name}`, "name"] as const),
    ...ALL_OPERATIONS.flatMap(listBodyNames).map((name) => [`body.${name}`, "path"] as const),
    ...Object.entries(FIXED_KEYS),
  ]));

function listKeysOf({ name, fields, isList }: Resource): (readonly [string, LineKind])[] {
  const lines = fields.map((field) => {
    const kind = field.isAmount ? "amount" : isList && field.name === "id" ? "id" : "path";
    return [`${name}.${field.name}`, kind] as const;
  });
  if (isList) return [[name, "items"], [`${name}.paging`, "paging"], ...lines];
  // A job has no document of its own: its fields stand beside its id.
  return name === "job" || name === "submitted" ? lines : [[name, "path"], ...lines];
}
