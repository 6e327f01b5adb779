import type { TSchema } from "typebox";
import * as Type from "typebox";
import { each } from "../domain/each.ts";
import { ATTEMPT_FAILURES } from "../domain/webhooks/deliveries.ts";
import type { ControlKey } from "./control.ts";
import { faultRule } from "./fault-rules.ts";
import { loggedRequest } from "./logged-request.ts";
import type { Mapping } from "./mapping/mapping.ts";
import { job } from "./operations/diligence.ts";
import { delivery, endpoint } from "./operations/webhooks.ts";
import {
  closedObject,
  count,
  dateTime,
  environment,
  headerPairs,
  mapOf,
  nullable,
  type ReadonlyStatic,
  textType,
} from "./schemas.ts";

// What the control API of a sandbox responds with, and so what the library returns. It is never part of the contract. Types,
// declarations and the reference derive from it. The rows stand apart from those of requests, because a command that only asks
// a sandbox needs no schema of the response.

const wallTime = () => dateTime("of the wall clock");
const sandboxTime = () => dateTime("of the sandbox clock");

export const clockState = closedObject({ now: sandboxTime(), frozen: Type.Boolean() });

const stateCounts = () => mapOf(count(), { description: "How many records there are, by their state" });

const apiKey = each(Type.String, "apiKey");
const oauthClient = each(Type.String, "clientId", "clientSecret");

export const sandboxCredentials = closedObject({
  sandbox: closedObject({ ...apiKey, ...oauthClient }),
  production: closedObject(apiKey),
  otherPartner: closedObject(apiKey, {
    description: "A sandbox key of another partner, which must not see records of the first one",
  }),
  webhook: closedObject(each(Type.String, "endpointId", "signingSecret"), {
    description: "The seeded endpoint, which points at the built-in sink, and its signing secret",
  }),
  unapproved: closedObject(oauthClient, {
    description: "A client that is not approved: the token route responds with `unauthorized_client`",
  }),
});

export const savedState = closedObject({
  at: wallTime(),
  durationMs: Type.Number({ description: "Wall time" }),
});

export const saveFailure = closedObject({
  since: dateTime("when the first of them began, of the wall clock"),
  message: Type.String(),
});

export const sandboxState = closedObject({
  clock: clockState,
  jobs: stateCounts(),
  clients: count(),
  ...each(stateCounts, "claims", "offers", "scans", "endpoints", "deliveries", "notifications"),
});

export const sandboxStatus = closedObject({
  ...sandboxState.properties,
  startedAt: wallTime(),
  instanceId: textType("Names the present state, as in `Sandbox`"),
  seed: nullable(Type.Integer({ description: "null for random ids and credentials" })),
  mapping: nullable(
    Type.Unsafe<Mapping>(mapOf(Type.Unknown())),
    "Where the sandbox keeps what the contract describes; null without `--mapping`",
  ),
  saved: Type.Optional(
    nullable(savedState, "The last save to a file; null before the first, absent without a state file"),
  ),
  saveFailure: Type.Optional(
    nullable(
      saveFailure,
      "Why the latest saves failed; null while they succeed, absent without a state file",
    ),
  ),
});

export const agendaItem = closedObject({
  dueAt: sandboxTime(),
  kind: textType("For example `job.finish`"),
  subject: textType("The id of its record"),
});

export const advanceResult = closedObject({
  from: sandboxTime(),
  to: sandboxTime(),
  ran: Type.Array(agendaItem, {
    description:
      "The tasks that fell due by this move (not those due before it), in the order in which they ran",
  }),
});

export const SINK_VERDICTS = [
  "valid",
  "mismatch",
  "missing_header",
  "malformed",
  "unknown_endpoint",
] as const;

export const sinkRequest = closedObject({
  sink: Type.String(),
  number: count("Counted from 1 for each sink"),
  at: sandboxTime(),
  method: Type.String(),
  target: textType("Path and query"),
  headers: headerPairs(),
  bodyBase64: textType("The first 64 KiB"),
  size: count("Bytes of the whole body"),
  responseStatus: nullable(
    Type.Integer({
      description: "Null while the response is delayed, and if the sender did not wait for it",
    }),
  ),
  verdict: Type.Enum(SINK_VERDICTS, {
    description: "That of a receiver that verifies; `unknown_endpoint`: no endpoint points at this sink",
  }),
  reason: textType("Explains the verdict"),
});

export const emittedEvent = closedObject({
  eventId: Type.String(),
  type: Type.String(),
  environment: environment(),
  deliveries: Type.Array(closedObject(each(Type.String, "deliveryId", "endpointId")), {
    description: "One for each endpoint that gets the event",
  }),
});

export const sandboxEndpoint = Type.Object({ ...endpoint.properties, partner: Type.Integer() });

export const deliveryAttempt = closedObject({
  number: count("Counted from 1"),
  trigger: Type.Enum(["schedule", "resend"]),
  at: sandboxTime(),
  durationMs: Type.Number({ description: "Wall time" }),
  headers: headerPairs("Exactly as sent"),
  responseStatus: nullable(Type.Integer()),
  responseHeaders: nullable(headerPairs("Null without a response")),
  responseExcerpt: nullable(
    textType(
      "The first 16 KiB of the response, read as UTF-8. Null without a response, and if it was dropped: the sandbox keeps 32 MiB of excerpts in total, and drops all earlier ones beyond that",
    ),
  ),
  error: nullable(closedObject({ code: Type.Enum([...ATTEMPT_FAILURES]), detail: Type.String() })),
});

export const deliveryDetails = Type.Object({
  ...delivery.properties,
  url: Type.String(),
  body: nullable(textType("Null when the bytes are not UTF-8")),
  bodyBase64: Type.String(),
  attempts: Type.Array(deliveryAttempt),
});

export const rotatedCredential = closedObject({ environment: environment(), apiKey: Type.String() });

export const snapshotInfo = closedObject({
  name: Type.String(),
  takenAt: sandboxTime(),
  rows: count("Rows of all tables"),
});

/** Its credentials may have changed. */
export const restoredState = closedObject({ clock: clockState, credentials: sandboxCredentials });

const list = <S extends TSchema>(item: S) => closedObject({ data: Type.Array(item) });

/** The JSON that an operation responds with; those that are absent respond with something else. */
export const CONTROL_RESPONSES = {
  "GET /health": closedObject({
    status: Type.Literal("ok"),
    instanceId: Type.String(),
    clockFrozen: Type.Boolean(),
    clockNow: dateTime(),
  }),
  "GET /ready": closedObject({ status: Type.Literal("ready") }),
  "GET /state": sandboxStatus,
  "POST /inspect": closedObject({ url: Type.String(), expiresInSeconds: count() }),
  "POST /shutdown": closedObject({
    status: Type.Literal("closing"),
    saveFailure: nullable(saveFailure, "Why its state could not be saved; null if it was, or has no file"),
  }),
  "GET /clock": clockState,
  "POST /clock/advance": advanceResult,
  "POST /clock/freeze": clockState,
  "POST /clock/unfreeze": clockState,
  "GET /agenda": list(agendaItem),
  "GET /sinks/{name}": list(sinkRequest),
  "POST /emit": emittedEvent,
  "GET /ids": list(Type.String()),
  "GET /endpoints": list(sandboxEndpoint),
  "POST /endpoints/{id}/status": sandboxEndpoint,
  "GET /deliveries/{id}": deliveryDetails,
  "POST /deliveries/{id}/resend": deliveryDetails,
  "POST /credentials/rotate": rotatedCredential,
  "POST /wait": Type.Union([delivery, job, loggedRequest, sinkRequest]),
  "GET /snapshots": list(snapshotInfo),
  "POST /snapshots/{name}": snapshotInfo,
  "PUT /snapshots/{name}": snapshotInfo,
  "DELETE /snapshots/{name}": list(snapshotInfo),
  "POST /snapshots/{name}/load": restoredState,
  "PUT /state": restoredState,
  "POST /reset": restoredState,
  "GET /faults": list(faultRule),
  "POST /faults": faultRule,
  "DELETE /faults": list(faultRule),
  "DELETE /faults/{id}": list(faultRule),
  "GET /requests": list(loggedRequest),
  "DELETE /requests": list(loggedRequest),
  "GET /requests/{number}": loggedRequest,
} as const satisfies Partial<Record<ControlKey, TSchema>>;

type JsonResponses = typeof CONTROL_RESPONSES;

/** The operation whose caller may disconnect before there is JSON. */
type Unfinished = "POST /wait";

/** The JSON that each operation of the control API responds with; `null` where the response is not JSON. */
export type ControlResponses = {
  readonly [K in ControlKey]: K extends keyof JsonResponses
    ? ReadonlyStatic<JsonResponses[K]> | (K extends Unfinished ? null : never)
    : null;
};
