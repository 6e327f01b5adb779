import { setImmediate } from "node:timers";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import { addDelay } from "../../../src/domain/time-range.ts";
import type { DeliveryState } from "../../../src/domain/webhooks/deliveries.ts";
import { GONE } from "../../../src/domain/webhooks/endpoints.ts";
import { nextRetryDelayMs, type RetrySchedule } from "../../../src/domain/webhooks/retry-schedule.ts";
import { ATTEMPTS, type AttemptRow, createExcerptLimit } from "../../store/attempts.ts";
import {
  DELIVERIES,
  DELIVERY_SOURCES,
  DELIVERY_STATUSES,
  type DeliveryRow,
  type DeliverySource,
} from "../../store/deliveries.ts";
import { DELIVERY_TARGETS, recordFailure, recordSuccess, setEndpointStatus } from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import { createAbortScope, createSemaphore } from "../concurrency.ts";
import type { EngineCore } from "../core.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import type { DeliveryWriter } from "../service/delivery-writer.ts";
import type { SendResult } from "./attempt-handler.ts";
import { buildDeliveryHeaders } from "./delivery-headers.ts";
import type { WebhookSender, WebhookSenderOptions } from "./webhook-sender.ts";

/** The limit of product.md §5. */
const MAX_ATTEMPTS_PER_ENDPOINT = 4;

/** An endpoint without a success for this long is disabled (product.md §5). */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

export interface DeliveryWorkerOptions extends WebhookSenderOptions {
  readonly schedule: RetrySchedule;
  readonly writer: DeliveryWriter;
  readonly nextTimelinePosition: () => number;
  readonly onSettled: (attempt: SettledAttempt) => void;
}

type Trigger = AttemptRow["trigger"];

/** An attempt that is in the store, and what followed from it. */
export interface SettledAttempt {
  /** Its place among all that happens in the sandbox. */
  readonly timelinePosition: number;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventType: string;
  readonly url: string;
  /** Sandbox time. */
  readonly at: number;
  readonly number: number;
  readonly trigger: Trigger;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly error: SendResult["error"];
  readonly status: DeliveryState;
  /** Sandbox time. */
  readonly nextAttemptAt: number | null;
}

interface CompletedAttempt extends DeliverySource {
  readonly timelinePosition: number;
  readonly trigger: Trigger;
  /** Sandbox time. */
  readonly at: number;
  readonly url: string;
  readonly headers: HeaderList;
  readonly result: SendResult;
}

/** What followed from an attempt. */
interface Outcome {
  readonly settled: SettledAttempt;
  readonly next: FollowUpTask | null;
}

interface UnsettledAttempt {
  readonly attempt: CompletedAttempt;
  /** Null if it was aborted. */
  readonly resolve: (outcome: Outcome | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the attempts: prepare, send, settle. The state of a delivery is in the store and on the agenda. */
export class DeliveryWorker {
  readonly #core: EngineCore;
  readonly #options: DeliveryWorkerOptions;
  readonly #salt: string;
  readonly #endpointSemaphores = new Map<number, ReturnType<typeof createSemaphore>>();
  /** Orders scheduled attempts under a frozen clock (product.md, promise 5), not resends: a receiver may request one. */
  readonly #sequence = createSemaphore(1);
  readonly #abortScope = createAbortScope();
  readonly #unsettled: UnsettledAttempt[] = [];
  #excerptLimit: ReturnType<typeof createExcerptLimit>;
  #sender: Promise<WebhookSender> | undefined;

  constructor(core: EngineCore, options: DeliveryWorkerOptions) {
    this.#core = core;
    this.#options = options;
    this.#salt = core.random.hex("webhook_jitter", 16);
    this.#excerptLimit = createExcerptLimit(core.store);
  }

  /** The schedule may start with a delay. */
  firstAttemptAt(createdAt: number): number {
    return addDelay(createdAt, this.#options.schedule[0] ?? 0);
  }

  attempt(id: string, trigger: Trigger): Promise<FollowUpTask | null> {
    const { clock, store } = this.#core;
    const delivery = DELIVERY_SOURCES.get(store, { id });
    const { signal } = this.#abortScope;
    const work = () => this.#perform(delivery, trigger, signal);
    if (clock.isFrozen && trigger === "schedule") return this.#sequence.run(work);
    const ofEndpoint =
      this.#endpointSemaphores.get(delivery.endpoint) ?? createSemaphore(MAX_ATTEMPTS_PER_ENDPOINT);
    this.#endpointSemaphores.set(delivery.endpoint, ofEndpoint);
    return ofEndpoint.run(work);
  }

  /** Ends the attempts in flight and those that wait. Resolves when the connections are closed; the store may change then. */
  async abort(): Promise<void> {
    const abandoned = this.#sender;
    this.#sender = undefined;
    this.#abortScope.abort();
    for (const { resolve } of this.#unsettled.splice(0)) resolve(null);
    await (await abandoned?.catch(() => undefined))?.close();
    this.#excerptLimit = createExcerptLimit(this.#core.store);
  }

  #loadSender(): Promise<WebhookSender> {
    this.#sender ??= import("./webhook-sender.ts").then(({ createWebhookSender }) =>
      createWebhookSender(this.#options),
    );
    return this.#sender;
  }

  /** Reads the delivery and the endpoint now, because they may have changed while the attempt waited for a slot. */
  async #perform(
    delivery: DeliverySource,
    trigger: Trigger,
    signal: AbortSignal,
  ): Promise<FollowUpTask | null> {
    if (signal.aborted) return null;
    const { clock, store } = this.#core;
    const { seq, endpoint, eventType: type } = delivery;
    const { status: deliveryStatus, scheduledCount } = DELIVERY_STATUSES.get(store, { seq });
    const hasEnded = deliveryStatus === "delivered" || deliveryStatus === "failed";
    if (trigger === "schedule" && hasEnded) return null;
    const { url, secret, status } = DELIVERY_TARGETS.get(store, { seq: endpoint });
    if (status !== "active") {
      const lastError = `endpoint_not_active: the endpoint is ${status}, no attempt was made`;
      if (!hasEnded) DELIVERIES.update(store, { seq }, { status: "failed", lastError, nextAttemptAt: null });
      return null;
    }
    const at = clock.now();
    // The preview of a test event shows the first scheduled attempt.
    const isPreviewed = trigger === "schedule" && scheduledCount === 0;
    const signedAt = isPreviewed ? this.firstAttemptAt(delivery.createdAt) : at;
    const body = readEventBody(store, delivery.event);
    const headers = buildDeliveryHeaders(this.#options.writer, { type, secret, body, at: signedAt });
    const timelinePosition = this.#options.nextTimelinePosition();
    const { send } = await this.#loadSender();
    const result = signal.aborted ? null : await send({ url, headers, body });
    if (!result) return null;
    const attempt = { ...delivery, timelinePosition, trigger, at, url, headers, result };
    const outcome = await this.#settleSoon(attempt);
    if (!outcome) return null;
    this.#options.onSettled(outcome.settled);
    return outcome.next;
  }

  /** Those of one turn of the event loop share a transaction: one for each takes a third more time for a delivery. */
  #settleSoon(attempt: CompletedAttempt): Promise<Outcome | null> {
    return new Promise((resolve, reject) => {
      if (this.#unsettled.length === 0) setImmediate(() => this.#settleAll());
      this.#unsettled.push({ attempt, resolve, reject });
    });
  }

  #settleAll(): void {
    const unsettled = this.#unsettled.splice(0);
    // After an abort, the store may be closed.
    if (unsettled.length === 0) return;
    try {
      const outcomes = this.#core.store.transaction(() =>
        unsettled.map(({ attempt }) => this.#settle(attempt)),
      );
      for (const [index, { resolve }] of unsettled.entries()) resolve(outcomes[index] ?? null);
    } catch (error) {
      for (const { reject } of unsettled) reject(error);
    }
  }

  /** Reads the status again: a resend or a change of the endpoint may have come in between. */
  #settle(attempt: CompletedAttempt): Outcome {
    const { scheduler, store } = this.#core;
    const { id, seq, endpoint, endpointId, eventType, timelinePosition, trigger, at, url, headers, result } =
      attempt;
    const { durationMs, error, status: responseStatus } = result;
    const { status, nextAttemptAt, deliveredAt, ...counts } = DELIVERY_STATUSES.get(store, { seq });
    const attemptCount = counts.attemptCount + 1;
    this.#excerptLimit.makeRoom(result.excerpt?.length ?? 0);
    const summary = { number: attemptCount, trigger, at, durationMs, responseStatus, error };
    const response = { responseHeaders: result.headers, responseExcerpt: result.excerpt };
    ATTEMPTS.insert(store, { delivery: seq, ...summary, headers, ...response });
    const scheduledCount = counts.scheduledCount + (trigger === "schedule" ? 1 : 0);
    const lastError = error && `${error.code}: ${error.detail}`;
    const progress = { scheduledCount, attemptCount, lastResponseStatus: responseStatus, lastAttemptAt: at };
    const update = (
      changes: Pick<DeliveryRow, "status" | "nextAttemptAt" | "deliveredAt">,
      next: FollowUpTask | null = null,
    ) => {
      DELIVERIES.update(store, { seq }, { ...progress, lastError, ...changes });
      const { status, nextAttemptAt } = changes;
      const receiver = { deliveryId: id, endpointId, eventType, url };
      return { next, settled: { timelinePosition, ...receiver, ...summary, status, nextAttemptAt } };
    };
    if (!error) {
      recordSuccess(store, endpoint, at);
      if (trigger === "resend") scheduler.cancel("webhook.attempt", id);
      return update({ status: "delivered", nextAttemptAt: null, deliveredAt: deliveredAt ?? at });
    }
    this.#recordFailure(attempt);
    if (trigger === "resend" || status === "delivered" || status === "failed")
      return update({ status, nextAttemptAt, deliveredAt });
    const dueAt = this.#findNextAttemptAt(id, scheduledCount, result);
    return update(
      { status: dueAt === null ? "failed" : "retrying", nextAttemptAt: dueAt, deliveredAt },
      dueAt === null ? null : { dueAt, kind: "webhook.attempt" },
    );
  }

  #recordFailure({ endpoint, at, result }: CompletedAttempt): void {
    const { store } = this.#core;
    const { status, failingSince } = DELIVERY_TARGETS.get(store, { seq: endpoint });
    recordFailure(store, endpoint, at);
    const hasFailedTooLong = failingSince !== null && at - failingSince >= DISABLE_AFTER_MS;
    // An endpoint that was revoked meanwhile stays revoked.
    if (status !== "active" || !(result.status === GONE || hasFailedTooLong)) return;
    const disabledReason = result.status === GONE ? "receiver_gone" : "no_success";
    setEndpointStatus(store, endpoint, { status: "disabled", disabledAt: at, disabledReason });
  }

  #findNextAttemptAt(id: string, attempt: number, { status, retryAfterMs }: SendResult): number | null {
    if (status === GONE) return null;
    // Not from a shared stream: the jitter must not depend on the order in which receivers respond.
    const jitter = createRandomNumbers(`${this.#salt}/${id}/${attempt}`)() / 2 ** 32;
    const { schedule } = this.#options;
    const delayMs = nextRetryDelayMs({ schedule, attempt, jitter, retryAfterMs });
    return delayMs === null ? null : addDelay(this.#core.clock.now(), delayMs);
  }
}
