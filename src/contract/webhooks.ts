import Type, { type Static } from "typebox";
import { ATTEMPT_FAILURES, DELIVERY_STATES } from "../domain/webhooks/deliveries.ts";
import { ENDPOINT_STATES, ENVIRONMENT_SCOPES } from "../domain/webhooks/endpoints.ts";
import { EVENT_NAME_PATTERN, EVENT_TYPES, MAX_EVENT_NAME_LENGTH } from "../domain/webhooks/event-types.ts";
import { assumed, documented, labelFields, withLabel } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { dateTime, environment, listQuery, nullable, pageResponse, uuid } from "./schemas.ts";

/** Characters. */
const MAX_LABEL_LENGTH = 200;

/** Characters. */
const MAX_URL_LENGTH = 2048;

/** More than the published ones, and few enough to look through for every event. */
const MAX_EVENTS = 100;

const documentedEndpoint = documented("§2 Webhook the service");
const documentedDelivery = documented("§2 Webhook delivery");

const eventName = () =>
  Type.String({
    maxLength: MAX_EVENT_NAME_LENGTH,
    pattern: EVENT_NAME_PATTERN.source,
    description: "an event name: lower-case words with dots between them, no wildcard",
  });

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
  subscribedEvents: Type.Array(eventName(), { minItems: 1, maxItems: MAX_EVENTS }),
  environmentScope: Type.Enum([...ENVIRONMENT_SCOPES]),
};

export const endpoint = Type.Object(
  labelFields(documentedEndpoint, {
    id: uuid(),
    ...endpointFields,
    secretPrefix: Type.String({ description: "Matches a stored secret to its endpoint without telling it" }),
    status: Type.Enum([...ENDPOINT_STATES]),
    ...labelFields(assumed("endpointTimes"), {
      createdAt: dateTime(),
      lastDeliveryAt: nullable(dateTime()),
      lastSuccessAt: nullable(dateTime()),
      lastFailureAt: nullable(dateTime()),
    }),
  }),
);

export const createdEndpoint = Type.Object({
  ...endpoint.properties,
  ...labelFields(documented("§2: returned only in that create response"), {
    signingSecret: Type.Optional(
      Type.String({ description: "Told once: a replayed answer (Idempotent-Replayed) does not have it" }),
    ),
  }),
});

export const delivery = Type.Object(
  labelFields(documentedDelivery, {
    ...labelFields(assumed("deliveryFields"), {
      id: uuid(),
      endpointId: uuid(),
      eventId: uuid(),
      eventType: Type.String(),
      environment: environment(),
    }),
    status: Type.Enum([...DELIVERY_STATES]),
    attemptCount: Type.Integer({ minimum: 0 }),
    lastResponseStatus: nullable(Type.Integer()),
    lastError: nullable(
      Type.String({ description: "What failed in the last attempt, `code: sentence`; null after a success" }),
    ),
    lastAttemptAt: nullable(dateTime()),
    nextAttemptAt: nullable(dateTime()),
    deliveredAt: nullable(dateTime()),
    ...labelFields(assumed("deliveryFields"), { createdAt: dateTime() }),
  }),
);

const preview = Type.Object(
  labelFields(assumed("preview"), {
    endpointId: uuid(),
    deliveryId: uuid(),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "Exactly those of the first attempt, the signature among them",
    }),
  }),
);

export const testEvent = Type.Object(
  labelFields(assumed("preview"), {
    eventId: uuid(),
    eventType: Type.Enum([...EVENT_TYPES]),
    environment: Type.Enum(["sandbox"]),
    body: Type.String({ description: "The exact body of every attempt" }),
    previews: Type.Array(preview),
  }),
);

export type Endpoint = Static<typeof endpoint>;
export type Delivery = Static<typeof delivery>;
export type TestEvent = Static<typeof testEvent>;

export const create = defineOperation({
  id: "webhooks.create",
  summary: "Register a webhook endpoint",
  method: "POST",
  path: "/v1/webhooks/endpoints",
  label: documented("§4 Webhooks"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(labelFields(documented("§4 Webhooks"), endpointFields), {
      additionalProperties: false,
    }),
  },
  response: {
    status: 201,
    label: documented("§4: the service record plus signingSecret"),
    schema: createdEndpoint,
  },
  problems: [...WRITE_PROBLEMS, "body_too_large", "unsupported_media_type"],
  behaviours: [
    { rule: "signingSecret is returned in this answer and in no other.", ...documented("§2") },
    { rule: "Event names are registered exactly; there are no wildcards.", ...documented("§6, rule 1") },
    {
      rule: "A well-formed event name outside the published four is stored; a name given twice counts once.",
      ...assumed("eventNames"),
    },
    { rule: "The new endpoint is active.", ...assumed("endpointStates") },
    {
      rule: "signingSecret is whsec_ and 43 more characters, and all of it is the HMAC key; secretPrefix is its first 12 characters.",
      ...assumed("secret"),
    },
    {
      rule: `label has 1 to ${MAX_LABEL_LENGTH} characters and is not blank; url is an http or https URL of at most ${MAX_URL_LENGTH} characters without user name and password; subscribedEvents has 1 to ${MAX_EVENTS} names of at most ${MAX_EVENT_NAME_LENGTH} characters.`,
      ...assumed("limits"),
    },
    {
      rule: "Idempotency-Key makes a repeat answer with the first answer, without signingSecret. A missing field and an unknown one are refused.",
      ...assumed("errors"),
    },
    {
      rule: "An address that may not be delivered to is stored; its attempts fail as address_blocked.",
      ...assumed("retries"),
    },
  ],
});

export const endpoints = defineOperation({
  id: "webhooks.endpoints",
  summary: "List the partner's webhook endpoints",
  method: "GET",
  path: "/v1/webhooks/endpoints",
  label: documented("§4 Webhooks"),
  auth: "credential",
  query: listQuery("paging", {}),
  response: pageResponse("paging", documented("§4: Lists endpoints of the authenticated partner"), endpoint),
  problems: ["cursor_invalid"],
  behaviours: [
    {
      rule: "Endpoints belong to the partner whatever the credential's environment; the newest comes first.",
      ...assumed("paging"),
    },
  ],
});

export const deliveries = defineOperation({
  id: "webhooks.deliveries",
  summary: "List the partner's webhook deliveries",
  method: "GET",
  path: "/v1/webhook-deliveries",
  label: documented("§4 Webhooks"),
  auth: "credential",
  query: listQuery("paging", {
    endpointId: Type.Optional(Type.String({ description: "the id of an endpoint" })),
    status: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    eventType: Type.Optional(eventName()),
  }),
  response: pageResponse("paging", documented("§4: Lists deliveries of the authenticated partner"), delivery),
  problems: ["cursor_invalid"],
  behaviours: [
    { rule: "The list can be filtered by the id of an endpoint.", ...documented("§2, §4") },
    { rule: "Statuses: queued, delivered, retrying, failed.", ...documented("§2, §3") },
    {
      rule: "An attempt makes a delivery delivered, retrying while another attempt follows, and failed when none does.",
      ...assumed("deliveryStates"),
    },
    {
      rule: "Deliveries belong to the partner whatever the credential's environment; the newest comes first; an endpoint of somebody else has none.",
      ...assumed("paging"),
    },
    {
      rule: "The payload is a JSON object of id, type, environment, createdAt and data; every attempt sends the same bytes.",
      ...assumed("payload"),
    },
    {
      rule: "X-Service-Timestamp is the time of the attempt in unix seconds; every attempt is signed anew.",
      ...assumed("payload"),
    },
    {
      rule: "An attempt succeeds when the receiver answers 200 to 299 within 15 seconds; a redirect is a failure and is not followed.",
      ...assumed("retries"),
    },
    {
      rule: "A failed attempt is repeated after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h (the fast plan of the sandbox: 1 s, 2 s, 5 s, 10 s and 30 s), each delay up to a fifth shorter or longer; Retry-After is obeyed from the delay to twice the delay.",
      ...assumed("retries"),
    },
    {
      rule: `lastError is a code, a colon and a sentence. Codes: ${[...ATTEMPT_FAILURES, "endpoint_not_active"].join(", ")}.`,
      ...assumed("retries"),
    },
    { rule: "At most 4 attempts to an endpoint are under way at once.", ...assumed("limits") },
    {
      rule: "An endpoint is disabled by an answer of 410, and by a failure five days after the first one since its last success. What waits for an endpoint that is not active fails when it is due.",
      ...assumed("endpointStates"),
    },
  ],
});

export const test = defineOperation({
  id: "webhooks.test",
  summary: "Emit a synthetic event to the sandbox endpoints that subscribe to it",
  method: "POST",
  path: "/v1/sandbox/webhooks/test",
  label: documented("§4 Webhooks"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(documented("§4 Webhooks"), {
        eventType: Type.Enum([...EVENT_TYPES]),
        environment: Type.Enum(["sandbox"]),
        endpointId: Type.Optional(
          withLabel(assumed("target"), Type.String({ description: "the id of an endpoint" })),
        ),
      }),
      { additionalProperties: false },
    ),
  },
  response: { status: 200, label: documented("§4: a signed preview of the event"), schema: testEvent },
  problems: [
    ...WRITE_PROBLEMS,
    "wrong_environment",
    "endpoint_not_found",
    "endpoint_not_active",
    "no_matching_endpoint",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "Sandbox credentials are used.", ...documented("§4, §5.5") },
    { rule: "A test can be targeted by the id of an endpoint.", ...documented("§2") },
    {
      rule: "A production credential is refused with 403; an event that no endpoint would get, and one for an endpoint of production alone, with 422.",
      ...assumed("errors"),
    },
    { rule: "The data of its payload is {synthetic: true, message}.", ...assumed("payload") },
    {
      rule: "The event goes to every active endpoint that subscribes to it and whose scope has the sandbox, or to endpointId alone, whatever that one subscribes to.",
      ...assumed("preview"),
    },
    {
      rule: "The first attempt sends the previewed bytes and headers; a later one has a timestamp and signature of its own.",
      ...assumed("preview"),
    },
  ],
});
