import type { TProperties, TSchema } from "typebox";

/** Whether `interface.md` says it, or only we do (product.md, promise 1). */
export type Basis = "documented" | "assumed";

/**
 * The label of an operation, a field or a behaviour. `source` is the section of the interface that says it; for an
 * assumption, the sentence of the interface that leaves it open.
 */
export interface Label {
  readonly basis: Basis;
  readonly source: string;
}

/** A rule about an operation that a schema cannot express. */
export interface Behaviour extends Label {
  readonly rule: string;
}

const NOT_SHOWN = {
  aliases:
    "§4: Methods, parameters and payloads of the routes in the alias table, and of GET /v1/clients and GET /v1/claims/status: not shown beyond what is stated.",
  client: "§4 Authentication: fields grant_type (client_credentials), client_id, client_secret.",
  deliveryFields:
    "§2: Other delivery fields (identifier, the service reference, event name, payload): not shown.",
  deliveryStates: "§3: Delivery statuses: queued, delivered, retrying, failed. Transitions: not shown.",
  diligence:
    "§4: Response body fields of diligence routes, including the name of the job identifier field: not shown.",
  diligenceFields: "§2: Fields of the job, report and dataset beyond rf8Review: not shown.",
  endpointStates: "§3: the service statuses: active, disabled, revoked. Transitions: not shown.",
  endpointTimes:
    "§2: the record carries last-delivery, last-success and last-failure timestamps; exact field names: not shown.",
  eventNames: "§6, rule 3: whether names outside the published four are accepted: not shown.",
  errors:
    "§7: Error status codes, error codes and error body shape, including the failure behavior for bad credentials: not shown.",
  limits: "§8: Rate limits, upload size limits, page sizes and retry counts: not shown.",
  paging: "§4: Query parameters and paging of the two list routes: not shown.",
  payload: "§6: Payload body shape and timestamp format: not shown.",
  preview: "§4: Fields of the signed preview: not shown.",
  resources:
    "§2: Fields of clients, claims, offers, litigation enrollments, notifications, portfolio scans, partner organizations and revenue records: not shown.",
  retries: "§6: Retry schedule and attempt limit: not shown.",
  rules: "§1: Business rules of the claim, offer, litigation, scan and revenue areas: not shown.",
  secret:
    "§2: secretPrefix, safe identifier to match stored configuration, does not expose the secret; signingSecret (string).",
  states: "§3: The state after resume and the full state set: not shown.",
  successes: "§7: Success status shown: 202 Accepted on diligence submit (queue handoff).",
  target: "§2: durable identifier; used to filter delivery history and to target sandbox tests",
  token: "§5.6: Token response fields and token lifetime: not shown.",
  versions: "§9.5: Sunset dates and a version-selection mechanism: not shown.",
} as const;

/** A part of the interface that says "not shown", or less than a service needs. */
export type Gap = keyof typeof NOT_SHOWN;

export const documented = (source: string): Label => ({ basis: "documented", source });
export const assumed = (gap: Gap): Label => ({ basis: "assumed", source: NOT_SHOWN[gap] });

/** Rules with one label. */
export const rules = (label: Label, ...texts: readonly string[]): Behaviour[] =>
  texts.map((rule) => ({ rule, ...label }));

/** A copy of a schema with a label. */
export function withLabel<S extends TSchema>(label: Label, schema: S): S {
  // A spread would lose the non-enumerable marks by which TypeBox knows its own schemas.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { "x-basis": label.basis, "x-source": label.source });
}

/** Labels every field that has no label yet. */
export function labelFields<P extends TProperties>(label: Label, properties: P): P {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    "x-basis" in schema ? schema : withLabel(label, schema),
  ]);
  return Object.fromEntries(entries) as P;
}
