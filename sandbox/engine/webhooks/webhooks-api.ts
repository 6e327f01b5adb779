import { ClaimsError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { ENDPOINT_STATES, isEndpointState, isInScope } from "../../../src/domain/webhooks/endpoints.ts";
import { isEventName } from "../../../src/domain/webhooks/event-types.ts";
import type { DeliveryDetails, SandboxEndpoint, SandboxWebhooks } from "../../api/webhooks.ts";
import { listLatestDeliveries } from "../../store/deliveries.ts";
import { type EndpointRow, listAllEndpoints } from "../../store/endpoints.ts";
import type { Engine } from "../engine.ts";
import { toDeliveryDetails } from "./delivery-details.ts";
import { toDelivery, toEndpoint } from "./records.ts";

/** The one whose endpoints an event goes to that is emitted by hand. */
const DEFAULT_PARTNER = 1;

/** Rows of a list: as many as anybody looks through. */
const MAX_LISTED_DELIVERIES = 10_000;

/**
 * What whoever runs the sandbox does with its webhooks; the handle and the control API are both this. Whatever comes in
 * is looked at: over the control API it is any JSON.
 */
export function createWebhooksApi(engine: Engine): SandboxWebhooks {
  const { idle, closeSignal, sinks, store, webhooks } = engine;
  const details = (id: string): DeliveryDetails => {
    const delivery = webhooks.delivery(id);
    return toDeliveryDetails(store, delivery, webhooks.endpoint(delivery.endpointId).url);
  };
  return {
    async emit(event) {
      const { endpointId, data = {}, ...facts } = parseEvent(event);
      const endpoint =
        endpointId === undefined ? undefined : requireReceiver(engine, endpointId, facts.environment);
      const partner = endpoint?.partner ?? DEFAULT_PARTNER;
      const { id, type, environment, deliveries } = webhooks.emit({ ...facts, data, partner, endpoint });
      return {
        ...{ eventId: id, type, environment },
        deliveries: deliveries.map(({ id: deliveryId, endpointId }) => ({ deliveryId, endpointId })),
      };
    },
    endpoints: () => idle.whenSettled(() => listAllEndpoints(store).map(toSandboxEndpoint)),
    async setStatus(endpointId, status) {
      if (!isEndpointState(status)) {
        throw invalidInput(`the status of an endpoint cannot be ${quoteValue(status)}`, {
          hint: `use one of ${ENDPOINT_STATES.join(", ")}`,
        });
      }
      return toSandboxEndpoint(webhooks.setStatus(endpointId, status));
    },
    deliveries: (filter = {}) =>
      idle.whenSettled(() => listLatestDeliveries(store, filter, MAX_LISTED_DELIVERIES).map(toDelivery)),
    delivery: (id) => idle.whenSettled(() => details(id)),
    async resend(id) {
      // An attempt that is under way has its number first: which of the two ends first must not matter (promise 5).
      await idle.whenSettled(() => webhooks.delivery(id));
      webhooks.scheduleResend(id);
      await idle.whenTaskDone("webhook.resend", id);
      closeSignal.throwIfAborted();
      return idle.whenSettled(() => details(id));
    },
    sink: (name = "default") => idle.whenSettled(() => sinks.entriesOf(name)),
  };
}

const toSandboxEndpoint = (endpoint: EndpointRow): SandboxEndpoint => ({
  ...toEndpoint(endpoint),
  partner: endpoint.partner,
});

const EVENT_FIELDS = ["type", "data", "environment", "endpointId"];

interface ValidEvent {
  readonly type: string;
  readonly data: unknown;
  readonly environment: "sandbox" | "production";
  readonly endpointId: string | undefined;
}

function parseEvent(event: unknown): ValidEvent {
  const given = isRecord(event) ? event : {};
  const unknown = Object.keys(given).find((name) => !EVENT_FIELDS.includes(name));
  const { type, data, environment = "sandbox", endpointId } = given;
  const hint = `an event has ${EVENT_FIELDS.join(", ")}`;
  if (unknown !== undefined) throw invalidInput(`an event has no ${unknown}`, { hint });
  if (typeof type !== "string" || !isEventName(type)) {
    throw invalidInput(`${quoteValue(type)} is no event name`, {
      hint: "write lower-case words with dots between them, as in partner.test",
    });
  }
  if (environment !== "sandbox" && environment !== "production") {
    throw invalidInput(`there is no environment ${quoteValue(environment)}`, {
      hint: "use sandbox or production",
    });
  }
  if (endpointId !== undefined && typeof endpointId !== "string")
    throw invalidInput("the endpointId of an event is the id of an endpoint", { hint });
  if (data !== undefined && !isSerializable(data))
    throw invalidInput("the data of an event is what JSON can tell, and this is not", { hint });
  return { type, data, environment, endpointId };
}

/** From the handle it may be anything. */
function isSerializable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** The only endpoint of an event; it may subscribe to what it likes. */
function requireReceiver(
  { webhooks }: Engine,
  id: string,
  environment: ValidEvent["environment"],
): EndpointRow {
  const endpoint = webhooks.activeEndpoint(id);
  const { environmentScope: scope } = endpoint;
  if (isInScope(scope, environment)) return endpoint;
  const message = `the scope of the endpoint ${id} is ${scope}; an event of the ${environment} environment is not for it`;
  throw new ClaimsError("rejected", "endpoint_out_of_scope", message, {
    hint: `emit it in the environment ${scope}, or register an endpoint with the scope all`,
  });
}

const invalidInput = (message: string, { hint }: { readonly hint: string }): ClaimsError =>
  new ClaimsError("usage", "validation_failed", message, { hint });
