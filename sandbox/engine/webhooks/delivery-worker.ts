import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import { nextRetryDelayMs, type RetrySchedule } from "../../../src/domain/webhooks/retry-schedule.ts";
import { type AttemptRow, addAttempt } from "../../store/attempts.ts";
import {
  type DeliverySource,
  readDeliverySource,
  readDeliveryStatus,
  updateDelivery,
} from "../../store/deliveries.ts";
import {
  readDeliveryTarget,
  recordFailure,
  recordSuccess,
  setEndpointStatus,
} from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import { WriteBatch } from "../../store/write-batch.ts";
import { AbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import type { ServiceVariant } from "../grease/service-variant.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import { Semaphore } from "../semaphore.ts";
import { buildDeliveryHeaders } from "./delivery-headers.ts";
import type { SendResult, WebhookSender, WebhookSenderOptions } from "./webhook-sender.ts";

/** product.md §5. */
const MAX_ATTEMPTS_PER_ENDPOINT = 4;

/** Sockets of the sandbox that deliveries may take. */
const MAX_DELIVERIES_IN_FLIGHT = 64;

/** Milliseconds without one success after which an endpoint is disabled (product.md §5). */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/** RFC 9110 §15.5.11: the receiver does not want to be asked again. */
const GONE = 410;

export interface DeliveryWorkerOptions extends WebhookSenderOptions {
  readonly schedule: RetrySchedule;
  readonly form: ServiceVariant;
}

type Trigger = AttemptRow["trigger"];

/** An attempt that has been made, and what came of it. */
interface CompletedAttempt extends DeliverySource {
  readonly trigger: Trigger;
  /** Sandbox time. */
  readonly at: number;
  readonly headers: HeaderList;
  readonly result: SendResult;
}

/**
 * Makes the attempts: prepare, post, settle. It keeps nothing of a delivery in mind: what is to come is a row of the
 * agenda, what was is in the store.
 */
export class DeliveryWorker {
  readonly #core: EngineCore;
  readonly #options: DeliveryWorkerOptions;
  readonly #salt: string;
  readonly #semaphore = new Semaphore(MAX_DELIVERIES_IN_FLIGHT);
  /**
   * With a frozen clock: which receiver answers first must not matter (product.md, promise 5). A resend is not in it, so
   * that a receiver may ask for one while it is being delivered to.
   */
  readonly #sequence = new Semaphore(1);
  readonly #batch: WriteBatch;
  readonly #endpointSemaphores = new Map<number, Semaphore>();
  readonly #abortScope = new AbortScope();
  #sender: Promise<WebhookSender> | undefined;

  constructor(core: EngineCore, options: DeliveryWorkerOptions) {
    this.#core = core;
    this.#options = options;
    this.#batch = new WriteBatch(core.store);
    this.#salt = core.random.hex("webhook_jitter", 16);
  }

  /** When an event of that time is first sent; the schedule may begin with a delay. */
  firstAttemptAt(createdAt: number): number {
    return createdAt + (this.#options.schedule[0] ?? 0);
  }

  /** One attempt; what it resolves to is the next one of the schedule. */
  attempt(id: string, trigger: Trigger): Promise<FollowUpTask | null> {
    const { store, clock } = this.#core;
    const sending = readDeliverySource(store, id);
    const { signal } = this.#abortScope;
    const work = () => this.#attempt(sending, trigger, signal);
    if (clock.isFrozen && trigger === "schedule") return this.#sequence.run(work);
    return this.#semaphoreFor(sending.endpoint).run(() => this.#semaphore.run(work));
  }

  /** Gives up what is being sent and what waits for its turn; resolves when the connections are closed. */
  async abort(): Promise<void> {
    const poster = this.#sender;
    this.#sender = undefined;
    this.#abortScope.abort();
    await (await poster?.catch(() => undefined))?.close();
  }

  /** What happened while it waited for its turn counts. */
  async #attempt(
    sending: DeliverySource,
    trigger: Trigger,
    given: AbortSignal,
  ): Promise<FollowUpTask | null> {
    if (given.aborted) return null;
    const { store, clock } = this.#core;
    const { form } = this.#options;
    const { seq, endpoint, eventType: type } = sending;
    const standing = readDeliveryStatus(store, seq);
    const isOver = standing.status === "delivered" || standing.status === "failed";
    if (trigger === "schedule" && isOver) return null;
    const { url, secret, status } = readDeliveryTarget(store, endpoint);
    if (status !== "active") {
      // Nothing is sent there; what waits for it has failed.
      if (!isOver)
        updateDelivery(store, seq, {
          status: "failed",
          lastError: `endpoint_not_active: the endpoint is ${status}, no attempt was made`,
          nextAttemptAt: null,
        });
      return null;
    }
    const at = clock.now();
    // The first attempt of the schedule is the one that was previewed.
    const isPreviewed = trigger === "schedule" && standing.scheduledCount === 0;
    const signedAt = isPreviewed ? this.firstAttemptAt(sending.createdAt) : at;
    const body = readEventBody(store, sending.event);
    const sent = buildDeliveryHeaders({ type, secret, body, at: signedAt, form });
    const poster = await this.#loadSender();
    const posted = given.aborted ? null : await poster.send({ url, headers: sent, body });
    return (
      posted &&
      this.#batch.write(() => this.#settle({ ...sending, trigger, at, headers: sent, result: posted }))
    );
  }

  /** How it stands is read again: a resend may have come in between, or the end of the endpoint. */
  #settle(attempt: CompletedAttempt): FollowUpTask | null {
    const { store, scheduler } = this.#core;
    const { id, seq, endpoint, trigger, at, headers: sent, result: posted } = attempt;
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
      if (trigger === "resend") scheduler.cancel("webhook.attempt", id);
      const done = { status: "delivered", nextAttemptAt: null, deliveredAt: deliveredAt ?? at } as const;
      updateDelivery(store, seq, { ...noted, ...done });
      return null;
    }
    this.#recordFailure(attempt);
    if (trigger === "resend" || status === "delivered" || status === "failed") {
      updateDelivery(store, seq, { ...noted, status, nextAttemptAt, deliveredAt });
      return null;
    }
    const dueAt = this.#nextAttemptAt(id, scheduledCount, posted);
    const next = dueAt === null ? "failed" : "retrying";
    updateDelivery(store, seq, { ...noted, status: next, nextAttemptAt: dueAt, deliveredAt });
    return dueAt === null ? null : { dueAt, kind: "webhook.attempt" };
  }

  #recordFailure({ endpoint, endpointId, at, result: posted }: CompletedAttempt): void {
    const { store, scheduler } = this.#core;
    const { status, failingSince } = readDeliveryTarget(store, endpoint);
    recordFailure(store, endpoint, at);
    const isGivenUp = failingSince !== null && at - failingSince >= DISABLE_AFTER_MS;
    // One that was revoked while this was under way stays revoked.
    if (status !== "active" || !(posted.status === GONE || isGivenUp)) return;
    setEndpointStatus(store, endpoint, "disabled");
    scheduler.reportEffect("endpoint.disable", endpointId);
  }

  #nextAttemptAt(id: string, attempt: number, { status, retryAfterMs }: SendResult): number | null {
    if (status === GONE) return null;
    const { schedule } = this.#options;
    // Not from a stream that all share: the order in which receivers answer must not matter.
    const jitter = createRandomNumbers(`${this.#salt}/${id}/${attempt}`)() / 2 ** 32;
    const delay = nextRetryDelayMs({ schedule, attempt, jitter, retryAfterMs });
    return delay === null ? null : this.#core.clock.now() + delay;
  }

  #semaphoreFor(endpoint: number): Semaphore {
    const known = this.#endpointSemaphores.get(endpoint);
    if (known) return known;
    const made = new Semaphore(MAX_ATTEMPTS_PER_ENDPOINT);
    this.#endpointSemaphores.set(endpoint, made);
    return made;
  }

  /** undici is loaded with the first delivery. */
  #loadSender(): Promise<WebhookSender> {
    this.#sender ??= import("./webhook-sender.ts").then(
      ({ WebhookSender: Loaded }) => new Loaded(this.#options),
    );
    return this.#sender;
  }
}
