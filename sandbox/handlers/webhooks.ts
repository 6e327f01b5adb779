import type { TestEvent } from "../../src/contract/operations/webhooks.ts";
import { isInScope, MAX_ACTIVE_ENDPOINTS } from "../../src/domain/webhooks/endpoints.ts";
import { toDelivery, toEndpoint } from "../engine/webhooks/records.ts";
import type { Caller } from "../store/credentials.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import {
  countActiveEndpoints,
  ENDPOINTS,
  type EndpointRow,
  findSubscribedEndpoints,
} from "../store/endpoints.ts";
import type { Store } from "../store/store.ts";
import { problemError, validationError } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { renderRows } from "./page.ts";

export const webhooks = {
  create({ caller: { partner }, body }, engine) {
    requireWebAddress(body.url);
    if (countActiveEndpoints(engine.store, partner) >= MAX_ACTIVE_ENDPOINTS) {
      const detail = `The partner has ${MAX_ACTIVE_ENDPOINTS} active endpoints already.`;
      throw problemError("too_many_endpoints", `${detail} Disable or revoke one first.`);
    }
    const subscribedEvents = [...new Set(body.subscribedEvents)];
    const endpoint = engine.webhooks.register({ ...body, subscribedEvents, partner });
    const record = toEndpoint(endpoint);
    return { json: { ...record, signingSecret: endpoint.secret }, repeated: record };
  },

  endpoints({ caller: { partner }, query }, engine) {
    return engine.quiescence.run(() =>
      renderRows("endpoints", ENDPOINTS, { caller: { partner }, query }, toEndpoint, engine),
    );
  },

  deliveries({ caller: { partner }, query }, engine) {
    return engine.quiescence.run(() =>
      renderRows("deliveries", DELIVERIES, { caller: { partner }, query }, toDelivery, engine),
    );
  },

  test({ caller, body: { endpointId, eventType: type, environment } }, { store, webhooks }) {
    if (environment !== "sandbox") throw createFieldError("environment", "not_allowed", "must be sandbox.");
    const event = { partner: caller.partner, type, environment } as const;
    const endpoint = endpointId === undefined ? undefined : requireActiveEndpoint(store, caller, endpointId);
    if (endpoint && !isInScope(endpoint.environmentScope, environment)) {
      const detail = `The scope of the endpoint is ${endpoint.environmentScope}, but a test event is in the sandbox.`;
      throw problemError("no_matching_endpoint", `${detail} Register one with the scope sandbox or all.`);
    }
    if (!endpoint && findSubscribedEndpoints(store, event).length === 0) {
      const detail = `No active endpoint subscribes to ${type} with the scope sandbox or all.`;
      throw problemError("no_matching_endpoint", `${detail} Register one that does.`);
    }
    // The interface does not show the shape of a payload (§6); this one is ours.
    const data = { synthetic: true, message: `This is a synthetic ${type} event.` };
    const { id: eventId, body, deliveries } = webhooks.emit({ ...event, data, endpoint });
    const previews = deliveries.map(({ id: deliveryId, endpointId, url, headers }) => ({
      endpointId,
      deliveryId,
      url,
      headers: Object.fromEntries(headers),
    }));
    const text = new TextDecoder().decode(body);
    const json: TestEvent = { eventId, eventType: type, environment, previews, body: text };
    return { json, events: [eventId] };
  },
} satisfies HandlersOf<"webhooks">;

/** The endpoint need not subscribe to the event. */
function requireActiveEndpoint(store: Store, { partner }: Caller, id: string): EndpointRow {
  const endpoint = ENDPOINTS.find(store, { id });
  if (endpoint?.partner !== partner)
    throw problemError("endpoint_not_found", `There is no endpoint ${id} for this credential.`);
  if (endpoint.status === "active") return endpoint;
  throw problemError("endpoint_not_active", `The endpoint is ${endpoint.status}; it gets no deliveries.`);
}

/** The URL parser accepts more than RFC 3986: white space, control characters, `\`, `http:host`, `http:///host`. */
const WEB_ADDRESS_PATTERN = /^https?:\/\/(?!\/)[^\s\\\p{Cc}\p{Cs}]+$/iu;

function requireWebAddress(url: string): void {
  const refuse = (detail: string) => createFieldError("url", "malformed", detail);
  if (!WEB_ADDRESS_PATTERN.test(url) || !URL.canParse(url)) throw refuse("must be an http or https URL.");
  const { username, password } = new URL(url);
  // A password in an address would show in lists and logs.
  if (username || password) throw refuse("must not have a user name or a password in it.");
  // No request has one (RFC 9110 §7.1).
  if (url.includes("#")) throw refuse("must not have a fragment (#).");
}

const createFieldError = (field: string, code: string, detail: string) =>
  validationError([{ pointer: `/${field}`, code, detail: `${field}: ${detail}` }]);
