import type { Static } from "typebox";
import * as Type from "typebox";
import { each } from "../../domain/each.ts";
import { ATTEMPT_FAILURES, DELIVERY_STATES } from "../../domain/webhooks/deliveries.ts";
import {
  DISABLE_REASONS,
  ENDPOINT_STATES,
  ENVIRONMENT_SCOPES,
  MAX_ACTIVE_ENDPOINTS,
} from "../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import {
  assumed,
  documented,
  documentedFields,
  labelFields,
  rules,
  statedRules,
  withLabel,
} from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

/** Characters. */
const MAX_LABEL_LENGTH = 200;

/** Characters. */
const MAX_URL_LENGTH = 2048;

/** More than the published ones, and few enough to look through for every event. */
const MAX_EVENTS = 100;

const eventName = s.eventName("lower-case words with dots between them, no wildcard");

const endpointFields = {
  label: Type.String({
    maxLength: MAX_LABEL_LENGTH,
    pattern: "\\S",
    description: "a label that is not blank",
  }),
  url: Type.String({
    maxLength: MAX_URL_LENGTH,
    description: "an http or https URL: the receiver's address",
  }),
  subscribedEvents: Type.Array(eventName, { minItems: 1, maxItems: MAX_EVENTS }),
  environmentScope: Type.Enum([...ENVIRONMENT_SCOPES]),
};

export const endpoint = s.labelledObject(documentedFields("endpoint"), {
  id: s.uuid(),
  ...endpointFields,
  secretPrefix: Type.String({
    description: "Identifies the endpoint of a stored secret without exposing the secret",
  }),
  status: Type.Enum([...ENDPOINT_STATES]),
  ...labelFields(assumed("endpointTimes"), {
    createdAt: s.dateTime(),
    ...each(() => s.nullable(s.dateTime()), "lastDeliveryAt", "lastSuccessAt", "lastFailureAt"),
  }),
  ...labelFields(assumed("endpointStates"), {
    disabledAt: s.nullable(s.dateTime()),
    disabledReason: s.nullable(Type.Enum([...DISABLE_REASONS])),
  }),
});

export const createdEndpoint = Type.Object({
  ...endpoint.properties,
  ...labelFields(documentedFields("endpoint"), {
    signingSecret: Type.Optional(
      Type.String({ description: "Returned once: a replayed response (Idempotent-Replayed) omits it" }),
    ),
  }),
});

export const delivery = s.labelledObject(documentedFields("delivery"), {
  ...labelFields(assumed("deliveryFields"), {
    ...each(s.uuid, "id", "endpointId", "eventId"),
    eventType: Type.String(),
    environment: s.environment(),
  }),
  status: Type.Enum([...DELIVERY_STATES]),
  attemptCount: Type.Integer({ minimum: 0 }),
  lastResponseStatus: s.nullable(Type.Integer()),
  lastError: s.nullable(
    Type.String({ description: "What failed in the last attempt, `code: sentence`; null after a success" }),
  ),
  ...each(() => s.nullable(s.dateTime()), "lastAttemptAt", "nextAttemptAt", "deliveredAt"),
  ...labelFields(assumed("deliveryFields"), { createdAt: s.dateTime() }),
});

const preview = s.labelledObject(assumed("preview"), {
  endpointId: s.uuid(),
  deliveryId: s.uuid(),
  url: Type.String(),
  headers: s.mapOf(Type.String(), {
    description: "Exactly those of the first attempt, the signature among them",
  }),
});

export const testEvent = s.labelledObject(assumed("preview"), {
  eventId: s.uuid(),
  eventType: Type.Enum([...EVENT_TYPES]),
  environment: Type.Enum(["sandbox"]),
  body: Type.String({ description: "The exact body of every attempt" }),
  previews: Type.Array(preview),
});

export type Endpoint = Static<typeof endpoint>;
export type Delivery = Static<typeof delivery>;
export type TestEvent = Static<typeof testEvent>;

export const create = defineOperation({
  id: "webhooks.create",
  summary: "Register a webhook endpoint",
  method: "POST",
  path: "/v1/webhooks/endpoints",
  label: documented("webhooks.create"),
  request: s.jsonBody(documentedFields("endpoint"), endpointFields),
  response: {
    status: 201,
    label: documented("webhooks.create"),
    schema: createdEndpoint,
  },
  problems: ["too_many_endpoints"],
  behaviours: [
    ...statedRules("endpoint.signingSecret"),
    ...rules(
      assumed("eventNames"),
      "A name with a wildcard is refused.",
      "A well-formed event name outside the published four is stored; a name given twice counts once.",
    ),
    ...rules(assumed("endpointStates"), "The new endpoint is active."),
    ...rules(
      assumed("endpoint.signingSecret"),
      "signingSecret is whsec_ and 43 more characters, and all of it is the HMAC key; secretPrefix is its first 12 characters.",
    ),
    ...rules(
      assumed("limits"),
      "url is an http or https URL without user name, password and fragment.",
      `A partner has at most ${MAX_ACTIVE_ENDPOINTS} active endpoints; another one is refused with 422.`,
    ),
    ...rules(
      assumed("errors"),
      "A repeat with the same Idempotency-Key gets the first response, without signingSecret. A missing field and an unknown one are refused.",
    ),
    ...rules(
      assumed("retries"),
      "An address that may not be delivered to is stored; its attempts fail as address_blocked.",
    ),
  ],
});

export const endpoints = defineOperation({
  id: "webhooks.endpoints",
  summary: "List the partner's webhook endpoints",
  method: "GET",
  path: "/v1/webhooks/endpoints",
  label: documented("webhooks.endpoints"),
  ...s.definePagedListOperation("paging", documented("webhooks.endpoints"), endpoint, {}),
  behaviours: rules(
    assumed("paging"),
    "Endpoints belong to the partner whatever the credential's environment; the newest comes first.",
  ),
});

export const deliveries = defineOperation({
  id: "webhooks.deliveries",
  summary: "List the partner's webhook deliveries",
  method: "GET",
  path: "/v1/webhook-deliveries",
  label: documented("webhooks.deliveries"),
  ...s.definePagedListOperation("paging", documented("webhooks.deliveries"), delivery, {
    // Documented to be a UUID (§2), unlike the ids of other records.
    endpointId: Type.Optional(Type.String({ format: "uuid", description: "the UUID of an endpoint" })),
    status: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    eventType: Type.Optional(eventName),
  }),
  behaviours: [
    ...statedRules("deliveries.filter", "delivery.retries"),
    ...rules(
      assumed("deliveryStates"),
      "An attempt makes a delivery delivered, retrying while another attempt follows, and failed when none does.",
    ),
    ...rules(
      assumed("paging"),
      "Deliveries belong to the partner whatever the credential's environment; the newest comes first; the list is empty for an endpoint of another partner.",
    ),
    ...rules(
      assumed("payload"),
      "The payload is a JSON object of id, type, environment, createdAt and data; every attempt sends the same bytes.",
      "X-Service-Timestamp is the time of the attempt in unix seconds; every attempt has its own signature.",
    ),
    ...rules(
      assumed("retries"),
      "An attempt succeeds when the receiver answers 200 to 299 within 15 seconds; a redirect is a failure and is not followed.",
      "A failed attempt is repeated after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h (the fast plan of the sandbox: 1 s, 2 s, 5 s, 10 s and 30 s), each delay up to a fifth shorter or longer; Retry-After is obeyed from the delay to twice the delay.",
      `lastError is a code, a colon and a sentence. Codes: ${[...ATTEMPT_FAILURES, "endpoint_not_active"].join(", ")}.`,
    ),
    ...rules(
      assumed("limits"),
      "The sandbox makes at most 4 attempts at once to an endpoint, and 64 to all.",
    ),
    ...rules(
      assumed("endpointStates"),
      "A response of 410 disables an endpoint, and so does a failure five days after the first one since its last success. A delivery to an endpoint that is not active fails when it is due.",
    ),
  ],
});

export const test = defineOperation({
  id: "webhooks.test",
  summary: "Emit a synthetic event to the sandbox endpoints that subscribe to it",
  method: "POST",
  path: "/v1/sandbox/webhooks/test",
  label: documented("webhooks.test"),
  sandboxOnly: true,
  request: s.jsonBody(documentedFields("test"), {
    eventType: Type.Enum([...EVENT_TYPES]),
    // The interface shows the value as an example only (§4); that there is no other is the assumed rule below.
    environment: Type.String({ examples: ["sandbox"] }),
    endpointId: Type.Optional(
      withLabel(assumed("endpoint.id"), Type.String({ description: "the id of an endpoint" })),
    ),
  }),
  response: { status: 200, label: documented("webhooks.test"), schema: testEvent },
  problems: ["wrong_environment", "endpoint_not_found", "endpoint_not_active", "no_matching_endpoint"],
  behaviours: [
    ...statedRules("test.credential", "event.types"),
    ...rules(assumed("test.environment"), "environment is sandbox; any other value is refused with 422."),
    ...rules(
      assumed("errors"),
      "A production credential is refused with 403; an event that no endpoint would get, and one for an endpoint of production alone, with 422.",
    ),
    ...rules(assumed("payload"), "The data of its payload is {synthetic: true, message}."),
    ...rules(
      assumed("preview"),
      "The event goes to every active endpoint that subscribes to it and whose scope includes the sandbox, or to endpointId alone, whatever that endpoint subscribes to.",
      "The first attempt sends the previewed bytes and headers; a later one has its own timestamp and signature.",
    ),
  ],
});
