import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import { type RetrySchedule, nextRetryDelayMs } from "../../../src/domain/webhooks/retry-schedule.ts";
import { type AttemptRow, addAttempt } from "../../store/attempts.ts";
import { WriteBatch } from "../../store/batch.ts";
import { failDelivery, type DeliverySource, readDeliverySource, updateDelivery, readDeliveryStatus } from "../../store/deliveries.ts";
import { recordFailure, recordSuccess, readDeliveryTarget, setEndpointStatus } from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import type { Store } from "../../store/open.ts";
import type { Agenda, NextRow } from "../agenda.ts";
import type { Clock } from "../clock.ts";
import type { ServiceVariant } from "../grease/service-form.ts";
import type { RandomSource } from "../random.ts";
import { Round } from "../round.ts";
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
  readonly form: ServiceVariant;
}

type Trigger = AttemptRow["trigger"];

/** An attempt that has been made, and what came of it. */
interface Attempted extends DeliverySource {
  readonly trigger: Trigger;
  /** Sandbox time. */
  readonly at: number;
  readonly sent: HeaderList;
  readonly posted: Posted;
}

/**
 * Makes the attempts: prepare, post, settle. It keeps nothing of a delivery in mind: what is to come is a row of the
 * agenda, what was is in the store.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #salt: string;
  readonly #slots = new Slots(AT_ONCE);
  /**
   * With a frozen clock: which receiver answers first must not matter (product.md, promise 5). A resend is not in it, so
   * that a receiver may ask for one while it is being delivered to.
   */
  readonly #queue = new Slots(1);
  readonly #batch: WriteBatch;
  readonly #slotsOf = new Map<number, Slots>();
  readonly #round = new Round();
  #poster: Promise<Poster> | undefined;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#batch = new WriteBatch(options.store);
    this.#salt = options.random.hex("webhook_jitter", 16);
  }

  /** When an event of that time is first sent; the schedule may begin with a delay. */
  firstAttemptAt(createdAt: number): number {
    return createdAt + (this.#options.schedule[0] ?? 0);
  }

  /** One attempt; what it resolves to is the next one of the schedule. */
  attempt(id: string, trigger: Trigger): Promise<NextRow | null> {
    const { store, clock } = this.#options;
    const sending = readDeliverySource(store, id);
    const { signal } = this.#round;
    const work = () => this.#attempt(sending, trigger, signal);
    if (clock.frozen && trigger === "schedule") return this.#queue.use(work);
    return this.#slotsFor(sending.endpoint).use(() => this.#slots.use(work));
  }

  /** Gives up what is being sent and what waits for its turn; resolves when the connections are closed. */
  async abandon(): Promise<void> {
    const poster = this.#poster;
    this.#poster = undefined;
    this.#round.abandon();
    await (await poster?.catch(() => undefined))?.close();
  }

  /** What happened while it waited for its turn counts. */
  async #attempt(sending: DeliverySource, trigger: Trigger, given: AbortSignal): Promise<NextRow | null> {
    if (given.aborted) return null;
    const { store, clock, form } = this.#options;
    const { seq, endpoint, eventType: type } = sending;
    const standing = readDeliveryStatus(store, seq);
    const isOver = standing.status === "delivered" || standing.status === "failed";
    if (trigger === "schedule" && isOver) return null;
    const { url, secret, status } = readDeliveryTarget(store, endpoint);
    if (status !== "active") {
      // Nothing is sent there; what waits for it has failed.
      if (!isOver)
        failDelivery(store, seq, `endpoint_not_active: the endpoint is ${status}, no attempt was made`);
      return null;
    }
    const at = clock.now();
    // The first attempt of the schedule is the one that was previewed.
    const isPreviewed = trigger === "schedule" && standing.scheduledCount === 0;
    const signedAt = isPreviewed ? this.firstAttemptAt(sending.createdAt) : at;
    const body = readEventBody(store, sending.event);
    const sent = deliveryHeaders({ type, secret, body, at: signedAt, form });
    const poster = await this.#loadedPoster();
    const posted = given.aborted ? null : await poster.post({ url, headers: sent, body });
    return posted && this.#batch.write(() => this.#settle({ ...sending, trigger, at, sent, posted }));
  }

  /** How it stands is read again: a resend may have come in between, or the end of the endpoint. */
  #settle(attempt: Attempted): NextRow | null {
    const { store, agenda } = this.#options;
    const { id, seq, endpoint, trigger, at, sent, posted } = attempt;
    const { error, status: responseStatus } = posted;
    const { status, nextAttemptAt, deliveredAt, ...counts } = readDeliveryStatus(store, seq);
    const attemptCount = counts.attemptCount + 1;
    addAttempt(store, seq, {
      ...{ number: attemptCount, trigger, at, durationMs: posted.durationMs, headers: sent },
      ...{ responseStatus, responseHeaders: posted.headers, responseExcerpt: posted.excerpt, error },
    });
    const scheduledCount = counts.scheduledCount + (trigger === "schedule" ? 1 : 0);
    const noted = {
      ...{ scheduledCount, attemptCount, lastResponseStatus: responseStatus, lastAttemptAt: at },
      lastError: error && `${error.code}: ${error.detail}`,
    };
    if (!error) {
      recordSuccess(store, endpoint, at);
      if (trigger === "resend") agenda.cancel("webhook.attempt", id);
      const done = { status: "delivered", nextAttemptAt: null, deliveredAt: deliveredAt ?? at } as const;
      updateDelivery(store, seq, { ...noted, ...done });
      return null;
    }
    this.#noteFailure(attempt);
    if (trigger === "resend" || status === "delivered" || status === "failed") {
      updateDelivery(store, seq, { ...noted, status, nextAttemptAt, deliveredAt });
      return null;
    }
    const dueAt = this.#nextAttemptAt(id, scheduledCount, posted);
    const next = dueAt === null ? "failed" : "retrying";
    updateDelivery(store, seq, { ...noted, status: next, nextAttemptAt: dueAt, deliveredAt });
    return dueAt === null ? null : { dueAt, kind: "webhook.attempt" };
  }

  #noteFailure({ endpoint, endpointId, at, posted }: Attempted): void {
    const { store, agenda } = this.#options;
    const { status, failingSince } = readDeliveryTarget(store, endpoint);
    recordFailure(store, endpoint, at);
    const isGivenUp = failingSince !== null && at - failingSince >= GIVEN_UP_AFTER;
    // One that was revoked while this was under way stays revoked.
    if (status !== "active" || !(posted.status === GONE || isGivenUp)) return;
    setEndpointStatus(store, endpoint, "disabled");
    agenda.note("endpoint.disable", endpointId);
  }

  #nextAttemptAt(id: string, attempt: number, { status, retryAfterMs }: Posted): number | null {
    if (status === GONE) return null;
    const { clock, schedule } = this.#options;
    // Not from a stream that all share: the order in which receivers answer must not matter.
    const jitter = createRandomNumbers(`${this.#salt}/${id}/${attempt}`)() / 2 ** 32;
    const delay = nextRetryDelayMs({ schedule, attempt, jitter, retryAfterMs });
    return delay === null ? null : clock.now() + delay;
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
