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
import type { Store } from "../../store/open.ts";
import type { ServiceVariant } from "../grease/service-variant.ts";
import type { RandomSource } from "../random.ts";
import { type Clock, formatTime } from "../scheduler/clock.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { buildDeliveryHeaders } from "./delivery-headers.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";

/** Bytes of a signing secret before they are written as text (product.md §5). */
const SECRET_BYTES = 32;

interface WebhooksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly worker: DeliveryWorker;
  readonly form: ServiceVariant;
}

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
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #random: RandomSource;
  readonly #worker: DeliveryWorker;
  readonly #form: ServiceVariant;

  constructor({ store, clock, scheduler, random, worker, form }: WebhooksOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#worker = worker;
    this.#form = form;
    scheduler.handle("webhook.attempt", (id) => worker.attempt(id, "schedule"), { leaves: true });
    scheduler.handle("webhook.resend", (id) => worker.attempt(id, "resend"), { leaves: true });
  }

  register(endpoint: Omit<NewEndpoint, "id" | "secret" | "createdAt">): EndpointRow {
    const id = this.#random.uuid("endpoint");
    const bytes = Buffer.from(this.#random.hex("webhook_secret", SECRET_BYTES), "hex");
    const secret = `whsec_${bytes.toString("base64url")}`;
    addEndpoint(this.#store, { ...endpoint, id, secret, createdAt: this.#clock.now() });
    return this.endpoint(id);
  }

  /** @throws ClaimsError `endpoint_not_found` */
  endpoint(id: string): EndpointRow {
    const found = findEndpoint(this.#store, id);
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
    setEndpointStatus(this.#store, endpoint.seq, status);
    return this.endpoint(id);
  }

  /** Fixes the payload's bytes and schedules a delivery to every endpoint that gets the event. */
  emit({ endpoint, data, ...facts }: WebhookEvent): EmitResult {
    const { partner, type, environment } = facts;
    const id = this.#random.uuid("event");
    const createdAt = this.#clock.now();
    const body = this.#form.renderPayload({ id, type, environment, createdAt: formatTime(createdAt), data });
    const firstAttemptAt = this.#worker.firstAttemptAt(createdAt);
    const endpoints = endpoint ? [endpoint] : findSubscribedEndpoints(this.#store, facts);
    const ids = endpoints.map(() => this.#random.uuid("delivery"));
    this.#store.transaction(() => {
      const event = addEvent(this.#store, { id, partner, type, environment, body, createdAt });
      endpoints.forEach((receiver, index) => {
        const deliveryId = ids[index] ?? "";
        addDelivery(this.#store, {
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
        this.#scheduler.schedule(firstAttemptAt, "webhook.attempt", deliveryId);
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
    const found = findDelivery(this.#store, id);
    if (found) return found;
    throw new ClaimsError("not_found", "delivery_not_found", `there is no delivery ${id}`, {
      hint: "the list of deliveries has their ids",
    });
  }

  /**
   * One attempt beside the schedule; resolves when it is over (product.md §5: success cancels the schedule, failure leaves
   * it). It does not wait for one of the schedule: that one may be waiting for whoever asks, a receiver.
   *
   * @throws ClaimsError `delivery_not_found`, `endpoint_not_active`
   */
  async resend(id: string): Promise<void> {
    this.activeEndpoint(this.delivery(id).endpointId);
    this.#scheduler.schedule(this.#clock.now(), "webhook.resend", id);
    await this.#scheduler.whenTaskDone("webhook.resend", id);
  }

  /** Gives up what is being sent. */
  abort(): Promise<void> {
    return this.#worker.abort();
  }
}
