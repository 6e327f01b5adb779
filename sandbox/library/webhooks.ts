import { ENVIRONMENTS, type Environment } from "../../src/domain/environments.ts";
import { notFoundError, rejectedError, usageError } from "../../src/domain/errors.ts";
import { isTooDeep, MAX_JSON_DEPTH, parseJsonText, quoteValue } from "../../src/domain/json.ts";
import { ENDPOINT_STATES, isEndpointState, isInScope } from "../../src/domain/webhooks/endpoints.ts";
import { isEventName } from "../../src/domain/webhooks/event-types.ts";
import type {
  DeliveryDetails,
  EmittedEvent,
  EventToEmit,
  SandboxEndpoint,
  SandboxWebhooks,
  SinkRequest,
} from "../api/webhooks.ts";
import { checkFields, type FieldChecks, text, word } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import { sinkPath } from "../engine/sinks.ts";
import { parseDeliveryFilter } from "../engine/webhooks/delivery-filter.ts";
import { toDelivery, toDeliveryDetails, toEndpoint } from "../engine/webhooks/records.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import { type EndpointRow, findSecretsByPath, listAllEndpoints } from "../store/endpoints.ts";

/** The partner of an event without an endpoint. */
const DEFAULT_PARTNER = 1;

const MAX_LISTED_DELIVERIES = 10_000;

export function createWebhooksApi(engine: Engine): SandboxWebhooks {
  const { quiescence, scheduler, closeSignal, store, webhooks } = engine;
  const details = (id: string): DeliveryDetails => {
    const delivery = webhooks.delivery(id);
    return toDeliveryDetails(store, delivery, webhooks.endpoint(delivery.endpointId).url);
  };
  return {
    emit: async (event) => emitEvent(engine, event),
    endpoints: () => quiescence.run(() => listAllEndpoints(store).map(toSandboxEndpoint)),
    async setStatus(endpointId, status) {
      if (isEndpointState(status)) return toSandboxEndpoint(webhooks.setStatus(endpointId, status));
      throw usageError("validation_failed", `invalid endpoint status ${quoteValue(status)}`, {
        hint: `use one of ${ENDPOINT_STATES.join(", ")}`,
      });
    },
    async deliveries(filter = {}) {
      const criteria = parseDeliveryFilter(filter);
      return quiescence.run(() =>
        DELIVERIES.list(store, criteria, { before: null, limit: MAX_LISTED_DELIVERIES }).map(toDelivery),
      );
    },
    delivery: (id) => quiescence.run(() => details(id)),
    async resend(id) {
      // An attempt in flight gets its number first, so that the numbers do not depend on which one ends first.
      await quiescence.run(() => webhooks.delivery(id));
      webhooks.scheduleResend(id);
      await scheduler.drain(
        () => closeSignal.throwIfAborted(),
        ({ kind, subject }) => kind === "webhook.resend" && subject === id,
      );
      return quiescence.run(() => details(id));
    },
    sink: (name = "default") => quiescence.run(() => requireSink(engine, name)),
  };
}

function emitEvent(engine: Engine, given: EventToEmit): EmittedEvent {
  const event = requireValidEvent(given);
  const { type, data = {}, dataJson, environment = "sandbox", endpointId } = event;
  const endpoint = endpointId === undefined ? undefined : requireReceiver(engine, endpointId, environment);
  const partner = endpoint?.partner ?? DEFAULT_PARTNER;
  const { id, deliveries } = engine.webhooks.emit({ partner, type, environment, data, dataJson, endpoint });
  return {
    eventId: id,
    type,
    environment,
    deliveries: deliveries.map(({ id: deliveryId, endpointId }) => ({ deliveryId, endpointId })),
  };
}

/** @throws ClaimsError `sink_not_found` when no endpoint points at it and it received nothing */
export function requireSink({ sinks, store }: Engine, name: string): readonly SinkRequest[] {
  const entries = sinks.entriesOf(name);
  if (entries.length > 0 || findSecretsByPath(store, sinkPath(name)).length > 0) return entries;
  throw notFoundError(
    "sink_not_found",
    `no endpoint points at the sink ${quoteValue(name)}, and it received nothing`,
    {
      hint: `register an endpoint with the URL of the sandbox and ${sinkPath("NAME")}`,
    },
  );
}

export const toSandboxEndpoint = (endpoint: EndpointRow): SandboxEndpoint => ({
  ...toEndpoint(endpoint),
  partner: endpoint.partner,
});

const EVENT_FIELDS: FieldChecks<EventToEmit> = {
  type: {
    isValid: (value) => typeof value === "string" && isEventName(value),
    expected: "lower-case words joined by dots, such as partner.test",
  },
  data: null,
  dataJson: text("the JSON text of the data"),
  environment: word(ENVIRONMENTS),
  endpointId: text("the id of an endpoint"),
};

function requireValidEvent(given: unknown): EventToEmit {
  const event = checkFields(given, EVENT_FIELDS, { what: "an event", noun: "field" });
  const problem = findEventProblem(event);
  if (problem === null) return event;
  throw usageError("validation_failed", problem, {
    hint: "an event has a type, and data (any JSON) or dataJson (its text)",
  });
}

function findEventProblem({ type, data, dataJson }: Partial<EventToEmit>): string | null {
  if (type === undefined) return "the event has no type";
  if (data !== undefined && dataJson !== undefined) return "data and dataJson exclude each other";
  if (data !== undefined && !isSerializable(data)) return "the data is not JSON";
  const value = dataJson === undefined ? data : parseJsonText(dataJson);
  if (dataJson !== undefined && value === undefined) return "dataJson is not JSON";
  const name = dataJson === undefined ? "the data" : "dataJson";
  return isTooDeep(value) ? `${name} is nested more than ${MAX_JSON_DEPTH} levels deep` : null;
}

function isSerializable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** The endpoint need not subscribe to the event. */
function requireReceiver({ webhooks }: Engine, id: string, environment: Environment): EndpointRow {
  const endpoint = webhooks.activeEndpoint(id);
  const { environmentScope: scope } = endpoint;
  if (isInScope(scope, environment)) return endpoint;
  throw rejectedError(
    "no_subscriber",
    `the endpoint ${id} has the scope ${scope}, but the event is in ${environment}`,
    { hint: `emit it in ${scope}, or register an endpoint with the scope all` },
  );
}
