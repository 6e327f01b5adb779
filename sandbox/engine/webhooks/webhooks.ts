import { Buffer } from "node:buffer";
import { ClaimsError } from "../../../src/domain/errors.ts";
import type { EndpointState } from "../../../src/domain/webhooks/endpoints.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { Environment } from "../../store/credentials.ts";
import { addDelivery, type DeliveryRow, findDelivery } from "../../store/deliveries.ts";
import {
  addEndpoint,
  type EndpointRow,
  findEndpoint,
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

/** Bytes of a signing secret before they are written as text (product.md §5). */
const SECRET_BYTES = 32;

/** Something that happened, of which endpoints are told. */
export interface WebhookEvent {
  readonly partner: number;
  readonly type: string;
  readonly environment: Environment;
  /** The `data` of the payload, any JSON. */
  readonly data: unknown;
  /** The only endpoint that gets it; without one, all that subscribe to it do. */
  readonly endpoint?: EndpointRow | undefined;
}

/** An event, and the first attempt of each of its deliveries as it will be sent. */
export interface EmitResult {
  readonly id: string;
  readonly type: string;
  readonly environment: Environment;
  readonly body: Uint8Array;
  readonly deliveries: readonly {
    readonly id: string;
    readonly endpointId: string;
    readonly url: string;
    readonly headers: HeaderList;
  }[];
}

/** Endpoints and the events they are told of. What is sent when is up to the agenda and the courier. */
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
    const id = this.#core.random.uuid("endpoint");
    const bytes = Buffer.from(this.#core.random.hex("webhook_secret", SECRET_BYTES), "hex");
    const secret = `whsec_${bytes.toString("base64url")}`;
    addEndpoint(this.#core.store, { ...endpoint, id, secret, createdAt: this.#core.clock.now() });
    return this.endpoint(id);
  }

  /** @throws ClaimsError `endpoint_not_found` */
  endpoint(id: string): EndpointRow {
    const found = findEndpoint(this.#core.store, id);
    if (found) return found;
    throw new ClaimsError("not_found", "endpoint_not_found", `there is no endpoint ${id}`, {
      hint: "the list of endpoints has their ids",
    });
  }

  /** @throws ClaimsError `endpoint_not_found`, `endpoint_not_active` */
  activeEndpoint(id: string): EndpointRow {
    const endpoint = this.endpoint(id);
    const { status } = endpoint;
    if (status === "active") return endpoint;
    throw new ClaimsError(
      "rejected",
      "endpoint_not_active",
      `the endpoint ${id} is ${status}; nothing is sent to it`,
      { hint: status === "revoked" ? "register another one" : "make it active first" },
    );
  }

  /** @throws ClaimsError `endpoint_not_found`, or `endpoint_revoked`: that is final (product.md §5) */
  setStatus(id: string, status: EndpointState): EndpointRow {
    const endpoint = this.endpoint(id);
    if (endpoint.status === "revoked" && status !== "revoked") {
      throw new ClaimsError("rejected", "endpoint_revoked", `the endpoint ${id} is revoked, which is final`, {
        hint: "register another one",
      });
    }
    setEndpointStatus(this.#core.store, endpoint.seq, status);
    return this.endpoint(id);
  }

  /** Fixes the payload's bytes and schedules a delivery to every endpoint that gets the event. */
  emit({ endpoint, data, ...facts }: WebhookEvent): EmitResult {
    const { partner, type, environment } = facts;
    const id = this.#core.random.uuid("event");
    const createdAt = this.#core.clock.now();
    const body = this.#form.renderPayload({ id, type, environment, createdAt: formatTime(createdAt), data });
    const firstAttemptAt = this.#worker.firstAttemptAt(createdAt);
    const endpoints = endpoint ? [endpoint] : findSubscribedEndpoints(this.#core.store, facts);
    const ids = endpoints.map(() => this.#core.random.uuid("delivery"));
    this.#core.store.transaction(() => {
      const event = addEvent(this.#core.store, { id, partner, type, environment, body, createdAt });
      endpoints.forEach((receiver, index) => {
        const deliveryId = ids[index] ?? "";
        addDelivery(this.#core.store, {
          id: deliveryId,
          event,
          endpoint: receiver.seq,
          partner,
          endpointId: receiver.id,
          eventId: id,
          eventType: type,
          environment,
          createdAt,
          nextAttemptAt: firstAttemptAt,
        });
        this.#core.scheduler.schedule(firstAttemptAt, "webhook.attempt", deliveryId);
      });
    });
    const deliveries = endpoints.map(({ id: endpointId, url, secret }, index) => ({
      id: ids[index] ?? "",
      endpointId,
      url,
      headers: buildDeliveryHeaders({ type, secret, body, at: firstAttemptAt, form: this.#form }),
    }));
    return { id, type, environment, body, deliveries };
  }

  /** @throws ClaimsError `delivery_not_found` */
  delivery(id: string): DeliveryRow {
    const found = findDelivery(this.#core.store, id);
    if (found) return found;
    throw new ClaimsError("not_found", "delivery_not_found", `there is no delivery ${id}`, {
      hint: "the list of deliveries has their ids",
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
