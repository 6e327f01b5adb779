import type { Environment } from "../../src/domain/environments.ts";
import { notFoundError, rejectedError, usageError } from "../../src/domain/errors.ts";
import { isRecord, isTooDeep, MAX_JSON_DEPTH, parseJsonText, quoteValue } from "../../src/domain/json.ts";
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

function emitEvent(engine: Engine, event: EventToEmit): EmittedEvent {
  requireValidEvent(event);
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

function requireValidEvent(event: EventToEmit): void {
  const fields: Partial<EventToEmit> = isRecord(event) ? event : {};
  const { type, data, dataJson, environment = "sandbox", endpointId, ...others } = fields;
  const [unknown] = Object.keys(others);
  const problem =
    (unknown !== undefined && `unknown field ${unknown}`) ||
    (!(typeof type === "string" && isEventName(type)) && `invalid event type ${quoteValue(type)}`) ||
    (environment !== "sandbox" &&
      environment !== "production" &&
      `invalid environment ${quoteValue(environment)}`) ||
    (endpointId !== undefined && typeof endpointId !== "string" && "invalid endpointId") ||
    (data !== undefined && !isSerializable(data) && "the data is not JSON") ||
    findDepthProblem("the data", data) ||
    (data !== undefined && dataJson !== undefined && "data and dataJson exclude each other") ||
    (dataJson !== undefined && findJsonProblem(dataJson));
  if (!problem) return;
  throw usageError("validation_failed", problem, {
    hint: "an event has a type (lower-case words joined by dots), data (any JSON) or dataJson (its text), environment (sandbox or production) and endpointId",
  });
}

const findDepthProblem = (name: string, value: unknown): string | false =>
  isTooDeep(value) && `${name} is nested more than ${MAX_JSON_DEPTH} levels deep`;

function findJsonProblem(text: unknown): string | false {
  const value = typeof text === "string" ? parseJsonText(text) : undefined;
  return value === undefined ? "dataJson is not JSON" : findDepthProblem("dataJson", value);
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
