import type { Static, TObject, TSchema } from "typebox";
import * as Type from "typebox";
import { JOB_STATES } from "../domain/diligence/states.ts";
import { ID_KINDS } from "../domain/id-kinds.ts";
import { DELIVERY_STATES } from "../domain/webhooks/deliveries.ts";
import { ENDPOINT_STATES } from "../domain/webhooks/endpoints.ts";
import { closedObject, environment, eventName } from "./schemas.ts";

/** One operation of a sandbox's control API (product.md §5). It is never part of the contract. Its response is in control-responses.ts. */
export interface ControlOperation {
  readonly summary: string;
  /** Needs no control token. */
  readonly isPublic?: true;
  /** Without it, the operation reads no query. */
  readonly query?: TObject;
  /** A JSON object. Without it, the operation reads no body, or reads the body itself. */
  readonly body?: TObject;
}

const optionalText = () => Type.Optional(Type.String());

const eventType = eventName("lower-case words joined by dots, as in partner.test");

const requestFilter = {
  operation: optionalText(),
  status: optionalText(),
  method: optionalText(),
  path: optionalText(),
  since: Type.Optional(Type.Integer()),
  fault: Type.Optional(Type.Boolean()),
  limit: Type.Optional(Type.Integer()),
};

const { operation, status, method, path, fault } = requestFilter;

/** By method and path below `/_sandbox`; `ANY` is every method. The engine validates what these schemas leave open. */
export const CONTROL_OPERATIONS = {
  "GET /health": { summary: "report liveness; needs no token", isPublic: true },
  "GET /ready": { summary: "503 until the sandbox is seeded, then 200; needs no token", isPublic: true },
  "GET /state": { summary: "show the clock and count the records of each kind" },
  "POST /inspect": { summary: "create a URL that opens the inspector once, within 60 seconds" },
  "GET /report": { summary: "download everything that the inspector shows as one HTML file" },
  "POST /shutdown": { summary: "stop the sandbox" },
  "GET /clock": { summary: "show the time and whether the clock is frozen" },
  "POST /clock/advance": {
    summary: '`{"to": "3d"}`, a time, `next` or `idle`: run what falls due and list it',
    body: closedObject({ to: Type.String() }),
  },
  "POST /clock/freeze": { summary: "stop the clock" },
  "POST /clock/unfreeze": { summary: "let the clock run on" },
  "GET /agenda": { summary: "list the tasks that wait on the clock, soonest first" },
  "ANY /sink/{name}": {
    summary: "receive deliveries and respond as the query says; needs no token",
    isPublic: true,
    query: closedObject({
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
      times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      delay: optionalText(),
      retryAfter: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    }),
  },
  "GET /sinks/{name}": { summary: "list the requests that a sink received" },
  "POST /emit": {
    summary:
      '`{"type", "data" or "dataJson", "environment", "endpointId"}`: emit an event (its request has at most 1 MiB)',
    body: closedObject({
      type: eventType,
      data: Type.Optional(Type.Unknown()),
      dataJson: optionalText(),
      environment: Type.Optional(environment()),
      endpointId: optionalText(),
    }),
  },
  "GET /ids": {
    summary: "find the ids that begin with these 8 characters or more; the first two",
    query: closedObject({
      kind: Type.Enum([...ID_KINDS]),
      start: Type.String({ pattern: "^[0-9a-f-]{8,36}$" }),
    }),
  },
  "GET /endpoints": { summary: "list the webhook endpoints of every partner" },
  "POST /endpoints/{id}/status": {
    summary: '`{"status": "disabled"}`, `active` or `revoked`: change the status of an endpoint',
    body: closedObject({ status: Type.Enum([...ENDPOINT_STATES]) }),
  },
  "GET /deliveries/{id}": {
    summary:
      "show a delivery with every attempt; response excerpts have 32 MiB in total, those of the latest attempts",
  },
  "POST /deliveries/{id}/resend": { summary: "make one attempt outside the schedule" },
  "POST /credentials/rotate": {
    summary: '`{"environment": "sandbox"}`: create a new API key',
    body: closedObject({ environment: environment() }),
  },
  "POST /wait": {
    summary:
      '`{"delivery": {…}, "timeoutMs"}`, or with `job`, `request` or `sink`: respond when the condition is met',
    body: closedObject({
      delivery: Type.Optional(
        closedObject({
          id: optionalText(),
          endpointId: optionalText(),
          eventType: Type.Optional(eventType),
          status: Type.Optional(Type.Enum([...DELIVERY_STATES])),
        }),
      ),
      job: Type.Optional(
        closedObject({ id: optionalText(), state: Type.Optional(Type.Enum([...JOB_STATES])) }),
      ),
      request: Type.Optional(closedObject({ operation, status, method, path, fault })),
      sink: Type.Optional(closedObject({ name: optionalText(), verdict: optionalText() })),
      timeoutMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
    }),
  },
  "GET /snapshots": { summary: "list the snapshots" },
  "POST /snapshots/{name}": { summary: "save the present state" },
  "GET /snapshots/{name}": { summary: "download a snapshot; `now` is the present state" },
  "PUT /snapshots/{name}": { summary: "upload a snapshot" },
  "DELETE /snapshots/{name}": { summary: "delete a snapshot" },
  "POST /snapshots/{name}/load": { summary: "restore a snapshot" },
  "PUT /state": { summary: "restore an uploaded snapshot" },
  "POST /reset": {
    summary: '`{}` for the seeded state, `{"to": NAME}` for a snapshot',
    body: closedObject({ to: optionalText() }),
  },
  "GET /faults": { summary: "list the fault rules with their counts" },
  "POST /faults": {
    summary: 'add a rule, or `{"preset": NAME}`',
    body: Type.Object({ preset: optionalText() }),
  },
  "DELETE /faults": { summary: "delete every rule" },
  "DELETE /faults/{id}": { summary: "delete a rule" },
  "GET /requests": {
    summary: "list the logged requests; filters as a query",
    query: closedObject(requestFilter),
  },
  "GET /activity": {
    summary:
      "stream requests and delivery attempts as they end, and states of jobs, one line of JSON each; filters of requests as a query",
    query: closedObject({ operation, status }),
  },
  "DELETE /requests": { summary: "clear the request log" },
  "GET /requests/{number}": { summary: "show a request and its response" },
} as const satisfies Record<string, ControlOperation>;

/** The name of an operation, as in `POST /clock/advance`. */
export type ControlKey = keyof typeof CONTROL_OPERATIONS;

/** What the schema in `Field` of an operation describes; `{}` where it has none. */
type Input<K extends ControlKey, Field extends "query" | "body"> = (typeof CONTROL_OPERATIONS)[K] extends {
  readonly [Name in Field]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : Record<never, never>;

export type ControlQuery<K extends ControlKey> = Input<K, "query">;
export type ControlBody<K extends ControlKey> = Input<K, "body">;
