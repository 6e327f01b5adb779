import { Buffer } from "node:buffer";
import type { Environment } from "../../../src/domain/environments.ts";
import { notFoundError, rejectedError } from "../../../src/domain/errors.ts";
import type { EndpointState } from "../../../src/domain/webhooks/endpoints.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import { DELIVERIES, type DeliveryRow } from "../../store/deliveries.ts";
import {
  ENDPOINTS,
  type EndpointRow,
  findSubscribedEndpoints,
  type NewEndpoint,
  setEndpointStatus,
} from "../../store/endpoints.ts";
import { addEvent } from "../../store/events.ts";
import type { EngineCore } from "../core.ts";
import type { ServiceVariant } from "../grease/service-variant.ts";
import { formatTime } from "../scheduler/clock.ts";
import { buildDeliveryHeaders } from "./delivery-headers.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";

/** Random bytes of a signing secret (product.md §5). */
const SECRET_BYTES = 32;

export interface WebhookEvent {
  readonly partner: number;
  readonly type: string;
  readonly environment: Environment;
  /** The `data` of the payload, any JSON. */
  readonly data: unknown;
  /** The only endpoint that gets the event. Without it, all subscribed endpoints get it. */
  readonly endpoint?: EndpointRow | undefined;
}

/** An event with the first attempt of each delivery, as it will be sent. */
export interface EmitResult {
  readonly id: string;
  readonly body: Uint8Array;
  readonly deliveries: readonly {
    readonly id: string;
    readonly endpointId: string;
    readonly url: string;
    readonly headers: HeaderList;
  }[];
}

/** Endpoints, events and deliveries. The scheduler and the delivery worker send them. */
export class Webhooks {
  readonly #core: EngineCore;
  readonly #worker: DeliveryWorker;
  readonly #form: ServiceVariant;

  constructor(core: EngineCore, worker: DeliveryWorker, form: ServiceVariant) {
    this.#core = core;
    this.#worker = worker;
    this.#form = form;
    const { scheduler } = core;
    scheduler.handle("webhook.attempt", (id) => worker.attempt(id, "schedule"), { isOutgoing: true });
    scheduler.handle("webhook.resend", (id) => worker.attempt(id, "resend"), { isOutgoing: true });
  }

  register(endpoint: Omit<NewEndpoint, "id" | "secret" | "createdAt">): EndpointRow {
    const { store, clock, random } = this.#core;
    const id = random.uuid("endpoint");
    const bytes = Buffer.from(random.hex("webhook_secret", SECRET_BYTES), "hex");
    const secret = `whsec_${bytes.toString("base64url")}`;
    ENDPOINTS.insert(store, { ...endpoint, id, secret, createdAt: clock.now() });
    return this.endpoint(id);
  }

  /** @throws ClaimsError `endpoint_not_found` */
  endpoint(id: string): EndpointRow {
    const found = ENDPOINTS.find(this.#core.store, { id });
    if (found) return found;
    throw notFoundError("endpoint_not_found", `no endpoint ${id}`, {
      hint: "list the endpoints to see their ids",
    });
  }

  /** @throws ClaimsError `endpoint_not_found`, `endpoint_not_active` */
  activeEndpoint(id: string): EndpointRow {
    const endpoint = this.endpoint(id);
    const { status } = endpoint;
    if (status === "active") return endpoint;
    throw rejectedError("endpoint_not_active", `the endpoint ${id} is ${status} and gets no deliveries`, {
      hint: status === "revoked" ? "register another one" : "make it active first",
    });
  }

  /** @throws ClaimsError `endpoint_not_found`, or `endpoint_revoked`, which is final (product.md §5) */
  setStatus(id: string, status: EndpointState): EndpointRow {
    const endpoint = this.endpoint(id);
    if (endpoint.status === "revoked" && status !== "revoked") {
      throw rejectedError("endpoint_revoked", `the endpoint ${id} is revoked, which is final`, {
        hint: "register another one",
      });
    }
    setEndpointStatus(this.#core.store, endpoint.seq, status);
    return this.endpoint(id);
  }

  /** Fixes the bytes of the payload and schedules a delivery to each endpoint. */
  emit({ partner, type, environment, data, endpoint }: WebhookEvent): EmitResult {
    const { store, clock, random, scheduler } = this.#core;
    const id = random.uuid("event");
    const createdAt = clock.now();
    const body = this.#form.renderPayload({ id, type, environment, createdAt: formatTime(createdAt), data });
    const at = this.#worker.firstAttemptAt(createdAt);
    const endpoints = endpoint ? [endpoint] : findSubscribedEndpoints(store, { partner, type, environment });
    const deliveries = endpoints.map(({ seq, id: endpointId, url, secret }) => ({
      seq,
      id: random.uuid("delivery"),
      endpointId,
      url,
      headers: buildDeliveryHeaders(this.#form, { type, secret, body, at }),
    }));
    store.transaction(() => {
      const event = addEvent(store, { id, partner, type, environment, body, createdAt });
      for (const { seq, id: deliveryId, endpointId } of deliveries) {
        DELIVERIES.insert(store, {
          id: deliveryId,
          event,
          endpoint: seq,
          partner,
          endpointId,
          eventId: id,
          eventType: type,
          environment,
          createdAt,
          nextAttemptAt: at,
        });
        scheduler.schedule(at, "webhook.attempt", deliveryId);
      }
    });
    return { id, body, deliveries };
  }

  /** @throws ClaimsError `delivery_not_found` */
  delivery(id: string): DeliveryRow {
    const found = DELIVERIES.find(this.#core.store, { id });
    if (found) return found;
    throw notFoundError("delivery_not_found", `no delivery ${id}`, {
      hint: "list the deliveries to see their ids",
    });
  }

  /**
   * Schedules one attempt outside the retry schedule. If it succeeds, it cancels the schedule (product.md §5). It does not
   * wait for a scheduled attempt: the receiver of that one may be the caller.
   *
   * @throws ClaimsError `delivery_not_found`, `endpoint_not_active`
   */
  scheduleResend(id: string): void {
    const { scheduler, clock } = this.#core;
    this.activeEndpoint(this.delivery(id).endpointId);
    scheduler.schedule(clock.now(), "webhook.resend", id);
  }
}
