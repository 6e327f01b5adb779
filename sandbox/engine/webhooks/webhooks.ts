import { Buffer } from "node:buffer";
import type { Environment } from "../../../src/domain/environments.ts";
import { notFoundError, rejectedError } from "../../../src/domain/errors.ts";
import {
  describeDisabled,
  type EndpointState,
  MAX_ACTIVE_ENDPOINTS,
} from "../../../src/domain/webhooks/endpoints.ts";
import { DELIVERIES, type DeliveryRow } from "../../store/deliveries.ts";
import {
  countActiveEndpoints,
  ENDPOINTS,
  type EndpointRow,
  findSubscribedEndpoints,
  type NewEndpoint,
  setEndpointStatus,
} from "../../store/endpoints.ts";
import { addEvent } from "../../store/events.ts";
import type { EngineCore } from "../core.ts";
import { formatTime } from "../scheduler/clock.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";

/** Random bytes of a signing secret (product.md §5). */
const SECRET_BYTES = 32;

export interface WebhookEvent {
  readonly partner: number;
  readonly type: string;
  readonly environment: Environment;
  readonly data: unknown;
  readonly dataJson?: string | undefined;
  /** The only endpoint that gets the event. Without it, all subscribed endpoints get it. */
  readonly endpoint?: EndpointRow | undefined;
}

export class Webhooks {
  readonly #core: EngineCore;
  readonly #worker: DeliveryWorker;

  constructor(core: EngineCore, worker: DeliveryWorker) {
    this.#core = core;
    this.#worker = worker;
    const options = { isOutgoing: true };
    core.scheduler.handle("webhook.attempt", (id) => worker.attempt(id, "schedule"), options);
    core.scheduler.handle("webhook.resend", (id) => worker.attempt(id, "resend"), options);
  }

  /** @throws ClaimsError `endpoint_not_found` */
  endpoint(id: string): EndpointRow {
    return requireRow("endpoint", id, ENDPOINTS.find(this.#core.store, { id: String(id) }));
  }

  /** @throws ClaimsError `endpoint_not_found`, `endpoint_not_active` */
  activeEndpoint(id: string): EndpointRow {
    const found = this.endpoint(id);
    const { status, disabledAt } = found;
    if (status === "active") return found;
    const disabled = { ...found, disabledAt: disabledAt && formatTime(disabledAt) };
    throw rejectedError("endpoint_not_active", `the endpoint ${id} is ${status} and gets no deliveries`, {
      hint: status === "revoked" ? "register another one" : describeDisabled(disabled),
    });
  }

  /** @throws ClaimsError `delivery_not_found` */
  delivery(id: string): DeliveryRow {
    return requireRow("delivery", id, DELIVERIES.find(this.#core.store, { id: String(id) }));
  }

  register(fields: Omit<NewEndpoint, "id" | "secret" | "createdAt">): EndpointRow {
    const { clock, random, store } = this.#core;
    const id = random.uuid("endpoint");
    const bytes = Buffer.from(random.hex("webhook_secret", SECRET_BYTES), "hex");
    const secret = `whsec_${bytes.toString("base64url")}`;
    ENDPOINTS.insert(store, { ...fields, id, secret, createdAt: clock.now() });
    return this.endpoint(id);
  }

  /** @throws ClaimsError `endpoint_not_found`, `too_many_endpoints`, or `endpoint_revoked`, which is final (product.md §5) */
  setStatus(id: string, status: EndpointState): EndpointRow {
    const { clock, store } = this.#core;
    const found = this.endpoint(id);
    // It keeps its failures, and the first reason and time.
    if (found.status === status) return found;
    if (found.status === "revoked")
      throw rejectedError("endpoint_revoked", `the endpoint ${id} is revoked, which is final`, {
        hint: "register another one",
      });
    if (status === "active" && countActiveEndpoints(store, found.partner) >= MAX_ACTIVE_ENDPOINTS)
      throw rejectedError(
        "too_many_endpoints",
        `the partner has ${MAX_ACTIVE_ENDPOINTS} active endpoints already`,
        { hint: "disable or revoke one first" },
      );
    const [disabledAt, disabledReason] =
      status === "disabled" ? [clock.now(), "disabled_by_hand" as const] : [null, null];
    setEndpointStatus(store, found.seq, { status, disabledAt, disabledReason });
    return this.endpoint(id);
  }

  /** Fixes the bytes of the payload and schedules a delivery to each endpoint. Returns the first attempt of each. */
  emit({ partner, type, environment, data, dataJson, endpoint: only }: WebhookEvent) {
    const { clock, random, scheduler, service, store } = this.#core;
    const encoder = service.deliveryEncoder;
    const id = random.uuid("event");
    const createdAt = clock.now();
    const payload = { id, type, environment, createdAt: formatTime(createdAt), data };
    const body = encoder.encodePayload(payload, dataJson);
    const at = this.#worker.firstAttemptAt(createdAt);
    const endpoints = only ? [only] : findSubscribedEndpoints(store, { partner, type, environment });
    const deliveries = endpoints.map(({ seq: endpoint, id: endpointId, url, secret }) => ({
      endpoint,
      id: random.uuid("delivery"),
      endpointId,
      url,
      headers: encoder.encodeHeaders({ type, secret, body, at }),
    }));
    store.transaction(() => {
      const event = addEvent(store, { id, partner, type, environment, body, createdAt });
      const common = { event, partner, eventId: id, eventType: type, environment, createdAt };
      const rows = deliveries.map((row) => ({ ...common, ...row, nextAttemptAt: at }));
      DELIVERIES.insert(store, ...rows);
      scheduler.schedule(at, "webhook.attempt", ...rows.map((row) => row.id));
    });
    return { id, body, deliveries };
  }

  /**
   * Schedules one attempt outside the retry schedule. If it succeeds, it cancels the schedule (product.md §5). It does
   * not wait for a scheduled attempt: the receiver of that one may be the caller.
   *
   * @throws ClaimsError `delivery_not_found`, `endpoint_not_active`
   */
  scheduleResend(id: string): void {
    this.activeEndpoint(this.delivery(id).endpointId);
    this.#core.scheduler.schedule(this.#core.clock.now(), "webhook.resend", id);
  }
}

/** Of a caller without types, the id may be undefined, which would select any row: `String` makes it an unknown id. */
function requireRow<Row>(noun: "delivery" | "endpoint", id: string, found: Row | undefined): Row {
  if (found) return found;
  const hint = `list the ${noun === "delivery" ? "deliveries" : "endpoints"} to see their ids`;
  throw notFoundError(`${noun}_not_found`, `no ${noun} ${id}`, { hint });
}
