import { type RetrySchedule, retryDelay } from "../../../src/domain/webhooks/retry-schedule.ts";
import { type AttemptRow, addAttempt } from "../../store/attempts.ts";
import { type DeliveryRow, findDelivery, setProgress } from "../../store/deliveries.ts";
import {
  type EndpointRow,
  findEndpoint,
  noteFailure,
  noteSuccess,
  setEndpointStatus,
} from "../../store/endpoints.ts";
import { bodyOfEvent } from "../../store/events.ts";
import type { Store } from "../../store/open.ts";
import type { Agenda, NextRow } from "../agenda.ts";
import type { Clock } from "../clock.ts";
import { numbersFrom, type RandomSource } from "../random.ts";
import { Slots } from "../slots.ts";
import { deliveryHeaders } from "./delivery-headers.ts";
import type { Posted, Poster, PosterOptions } from "./post.ts";

/** product.md §5. */
const AT_ONCE_FOR_AN_ENDPOINT = 4;

/** Sockets of the sandbox that deliveries may take. */
const AT_ONCE = 64;

/** Milliseconds without one success after which an endpoint is disabled (product.md §5). */
const GIVEN_UP_AFTER = 5 * 24 * 3_600_000;

/** RFC 9110 §15.5.11: the receiver does not want to be asked again. */
const GONE = 410;

export interface CourierOptions extends PosterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly random: RandomSource;
  readonly schedule: RetrySchedule;
}

/**
 * Makes the attempts: prepare, post, settle. It keeps nothing of a delivery in mind: what is to come is a row of the
 * agenda, what was is in the store.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #salt: string;
  readonly #slots = new Slots(AT_ONCE);
  readonly #slotsOf = new Map<number, Slots>();
  #isClosing = false;
  #poster: Promise<Poster> | undefined;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#salt = options.random.hex("webhook_jitter", 16);
  }

  /** When an event of that time is first sent; the schedule may begin with a delay. */
  firstAttemptAt(createdAt: number): number {
    return createdAt + (this.#options.schedule[0] ?? 0);
  }

  /** One attempt; what it resolves to is the next one of the schedule. */
  async attempt(id: string, trigger: AttemptRow["trigger"]): Promise<NextRow | null> {
    const { store } = this.#options;
    const delivery = findDelivery(store, id);
    if (!delivery) throw new Error(`delivery ${id} is on the agenda and not in the store`);
    return this.#slotsFor(delivery.endpoint).use(() =>
      this.#slots.use(() => this.#attempt(delivery.id, trigger)),
    );
  }

  /** Gives up what is being sent; resolves when its connections are closed. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    const poster = await this.#poster?.catch(() => undefined);
    await poster?.close();
  }

  /** What happened while it waited for its turn counts. */
  async #attempt(id: string, trigger: AttemptRow["trigger"]): Promise<NextRow | null> {
    const { store, clock } = this.#options;
    const { delivery, endpoint } = this.#look(id);
    const isOver = delivery.status === "delivered" || delivery.status === "failed";
    if (this.#isClosing || (trigger === "schedule" && isOver)) return null;
    if (endpoint.status !== "active") {
      if (!isOver) this.#giveUp(delivery, endpoint);
      return null;
    }
    const body = bodyOfEvent(store, delivery.event);
    const at = clock.now();
    // The first attempt is the one that was previewed.
    const signedAt = delivery.attemptCount === 0 ? this.firstAttemptAt(delivery.createdAt) : at;
    const { eventType: type } = delivery;
    const sent = deliveryHeaders({ type, secret: endpoint.secret, body, at: signedAt });
    const poster = await this.#loadedPoster();
    const posted = await poster.post({ url: endpoint.url, headers: sent, body });
    return posted && store.transaction(() => this.#settle(id, trigger, { ...posted, at, sent }));
  }

  #settle(
    id: string,
    trigger: AttemptRow["trigger"],
    posted: Posted & { readonly at: number; readonly sent: AttemptRow["headers"] },
  ): NextRow | null {
    const { store, agenda } = this.#options;
    const { delivery, endpoint } = this.#look(id);
    const { at, error, status: responseStatus } = posted;
    const number = delivery.attemptCount + 1;
    addAttempt(store, delivery.seq, {
      ...{ number, trigger, at, durationMs: posted.durationMs, headers: posted.sent },
      ...{ responseStatus, responseHeaders: posted.headers, responseExcerpt: posted.excerpt, error },
    });
    const scheduledCount = delivery.scheduledCount + (trigger === "schedule" ? 1 : 0);
    const noted = {
      ...{ scheduledCount, attemptCount: number, lastResponseStatus: responseStatus, lastAttemptAt: at },
      lastError: error && `${error.code}: ${error.detail}`,
    };
    if (!error) {
      noteSuccess(store, endpoint.seq, at);
      if (trigger === "resend") agenda.cancel("webhook.attempt", id);
      const deliveredAt = delivery.deliveredAt ?? at;
      setProgress(store, delivery.seq, { ...noted, status: "delivered", nextAttemptAt: null, deliveredAt });
      return null;
    }
    this.#noteFailure(endpoint, at, responseStatus);
    const { status, deliveredAt } = delivery;
    if (trigger === "resend" || status === "delivered" || status === "failed") {
      setProgress(store, delivery.seq, {
        ...noted,
        ...{ status, nextAttemptAt: delivery.nextAttemptAt, deliveredAt },
      });
      return null;
    }
    const nextAttemptAt = this.#nextAttemptAt(id, scheduledCount, posted);
    const next = nextAttemptAt === null ? "failed" : "retrying";
    setProgress(store, delivery.seq, { ...noted, status: next, nextAttemptAt, deliveredAt });
    return nextAttemptAt === null ? null : { dueAt: nextAttemptAt, kind: "webhook.attempt" };
  }

  #noteFailure({ seq, failingSince }: EndpointRow, at: number, responseStatus: number | null): void {
    const { store } = this.#options;
    noteFailure(store, seq, at);
    const isGivenUp = failingSince !== null && at - failingSince >= GIVEN_UP_AFTER;
    if (responseStatus === GONE || isGivenUp) setEndpointStatus(store, seq, "disabled");
  }

  #nextAttemptAt(id: string, attempt: number, { status, retryAfterMs }: Posted): number | null {
    if (status === GONE) return null;
    const { clock, schedule } = this.#options;
    // Not from a stream that all share: the order in which receivers answer must not matter.
    const jitter = numbersFrom(`${this.#salt}/${id}/${attempt}`)() / 2 ** 32;
    const delay = retryDelay({ schedule, attempt, jitter, retryAfterMs });
    return delay === null ? null : clock.now() + delay;
  }

  /** Nothing is sent to an endpoint that is not active; what waits for it has failed. */
  #giveUp(delivery: DeliveryRow, { status }: EndpointRow): void {
    const lastError = `endpoint_not_active: the endpoint is ${status}, no attempt was made`;
    setProgress(this.#options.store, delivery.seq, {
      ...delivery,
      ...{ status: "failed", lastError, nextAttemptAt: null },
    });
  }

  #look(id: string): { readonly delivery: DeliveryRow; readonly endpoint: EndpointRow } {
    const { store } = this.#options;
    const delivery = findDelivery(store, id);
    const endpoint = delivery && findEndpoint(store, delivery.endpointId);
    if (!delivery || !endpoint) throw new Error(`delivery ${id} is not whole in the store`);
    return { delivery, endpoint };
  }

  #slotsFor(endpoint: number): Slots {
    const known = this.#slotsOf.get(endpoint);
    if (known) return known;
    const made = new Slots(AT_ONCE_FOR_AN_ENDPOINT);
    this.#slotsOf.set(endpoint, made);
    return made;
  }

  /** undici is loaded with the first delivery. */
  #loadedPoster(): Promise<Poster> {
    this.#poster ??= import("./post.ts").then(({ Poster: Loaded }) => new Loaded(this.#options));
    return this.#poster;
  }
}
