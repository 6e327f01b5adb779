import type { TestEvent } from "../../src/contract/webhooks.ts";
import { isInScope } from "../../src/domain/webhooks/endpoints.ts";
import type { Engine } from "../engine/engine.ts";
import { toDelivery, toEndpoint } from "../engine/webhooks/records.ts";
import type { Caller } from "../store/credentials.ts";
import { listDeliveries } from "../store/deliveries.ts";
import {
  type EndpointRow,
  findEndpoint,
  findSubscribedEndpoints,
  listEndpoints,
} from "../store/endpoints.ts";
import { problemError, validationError } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { readPageRequest, renderPage } from "./page.ts";

export const webhooks = {
  create({ caller: { partner }, body }, engine) {
    requireWebAddress(body.url);
    const subscribedEvents = [...new Set(body.subscribedEvents)];
    const endpoint = engine.webhooks.register({ ...body, subscribedEvents, partner });
    const record = toEndpoint(endpoint);
    return { json: { ...record, signingSecret: endpoint.secret }, repeated: record };
  },

  endpoints({ caller: { partner }, query }, { idle, store }) {
    const page = readPageRequest("endpoints", query);
    return idle.whenSettled(() =>
      renderPage("endpoints", query, listEndpoints(store, partner, page), toEndpoint),
    );
  },

  deliveries({ caller: { partner }, query }, { idle, store }) {
    const page = readPageRequest("deliveries", query);
    return idle.whenSettled(() =>
      renderPage("deliveries", query, listDeliveries(store, partner, query, page), toDelivery),
    );
  },

  test({ caller, body }, engine) {
    if (caller.environment !== "sandbox") {
      throw problemError(
        "wrong_environment",
        "Test events are for the sandbox: send a sandbox credential, not a production one.",
      );
    }
    const { endpointId, eventType: type, environment } = body;
    const event = { partner: caller.partner, type, environment };
    const endpoint = endpointId === undefined ? undefined : requireActiveEndpoint(engine, caller, endpointId);
    if (endpoint && !isInScope(endpoint.environmentScope, environment)) {
      throw problemError(
        "no_matching_endpoint",
        `The scope of the endpoint is ${endpoint.environmentScope}, and a test event is of the sandbox. Register one with the scope sandbox or all.`,
      );
    }
    if (!endpoint && findSubscribedEndpoints(engine.store, event).length === 0) {
      throw problemError(
        "no_matching_endpoint",
        `No active endpoint subscribes to ${type} with the scope sandbox or all. Register one that does.`,
      );
    }
    const {
      id,
      body: bytes,
      deliveries,
    } = engine.webhooks.emit({ ...event, data: syntheticData(type), endpoint });
    const previews = deliveries.map(({ id: deliveryId, endpointId, url, headers }) => ({
      ...{ endpointId, deliveryId, url },
      headers: Object.fromEntries(headers),
    }));
    const json: TestEvent = {
      ...{ eventId: id, eventType: type, environment, previews },
      body: new TextDecoder().decode(bytes),
    };
    return { json, events: [id] };
  },
} satisfies HandlersOf<"webhooks">;

/** What a synthetic event says; its shape is ours (interface §6: payload body shape not shown). */
const syntheticData = (type: string) => ({ synthetic: true, message: `This is a synthetic ${type} event.` });

/** A targeted endpoint may subscribe to what it likes: that is what targeting is for. */
function requireActiveEndpoint({ store }: Engine, { partner }: Caller, id: string): EndpointRow {
  const endpoint = findEndpoint(store, id);
  if (endpoint?.partner !== partner)
    throw problemError("endpoint_not_found", `There is no endpoint ${id} for this credential.`);
  if (endpoint.status === "active") return endpoint;
  throw problemError("endpoint_not_active", `The endpoint is ${endpoint.status}; nothing is sent to it.`);
}

function requireWebAddress(url: string): void {
  const detail = describeUrlFault(url);
  if (detail !== null)
    throw validationError([{ pointer: "/url", code: "malformed", detail: `url: ${detail}` }]);
}

/** The URL parser forgives what RFC 3986 does not: white space, control characters, `\`, `http:host`, `http:///host`. */
const WEB_ADDRESS_PATTERN = /^https?:\/\/(?!\/)[^\s\\\p{Cc}\p{Cs}]+$/iu;

function describeUrlFault(text: string): string | null {
  if (!WEB_ADDRESS_PATTERN.test(text) || !URL.canParse(text)) return "must be an http or https URL.";
  const { username, password } = new URL(text);
  // A password in an address ends up in lists and logs.
  return username || password ? "must not have a user name or a password in it." : null;
}
