import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import { addDelay } from "../../../src/domain/time-range.ts";
import type { DeliveryState } from "../../../src/domain/webhooks/deliveries.ts";
import { GONE } from "../../../src/domain/webhooks/endpoints.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import { nextRetryDelayMs, type RetrySchedule } from "../../../src/domain/webhooks/retry-schedule.ts";
import { type AttemptRow, addAttempt, createExcerptLimit } from "../../store/attempts.ts";
import {
  DELIVERIES,
  DELIVERY_SOURCES,
  DELIVERY_STATUSES,
  type DeliveryRow,
  type DeliverySource,
} from "../../store/deliveries.ts";
import { DELIVERY_TARGETS, recordFailure, recordSuccess, setEndpointStatus } from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import { createWriteBatch } from "../../store/write-batch.ts";
import { createAbortScope, createSemaphore } from "../concurrency.ts";
import type { EngineCore } from "../core.ts";
import type { ServiceVariant } from "../grease/service-variant.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import type { SendResult } from "./attempt-handler.ts";
import { buildDeliveryHeaders } from "./delivery-headers.ts";
import type { WebhookSender, WebhookSenderOptions } from "./webhook-sender.ts";

/** product.md §5 */
const MAX_ATTEMPTS_PER_ENDPOINT = 4;

/** Limits the sockets of the sandbox. */
const MAX_DELIVERIES_IN_FLIGHT = 64;

/** An endpoint without a success for this long is disabled (product.md §5). */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

export interface DeliveryWorkerOptions extends WebhookSenderOptions {
  readonly schedule: RetrySchedule;
  readonly variant: ServiceVariant;
  readonly nextOrdinal: () => number;
}

type Trigger = AttemptRow["trigger"];

/** An attempt that is in the store, and what followed from it. */
export interface SettledAttempt {
  /** Its place among all that happens in the sandbox. */
  readonly ordinal: number;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventType: string;
  /** Of the receiver. */
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
  readonly ordinal: number;
  readonly trigger: Trigger;
  /** Sandbox time. */
  readonly at: number;
  readonly url: string;
  readonly headers: HeaderList;
  readonly result: SendResult;
}

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>;

/** Makes the attempts: prepare, send, settle. The state of a delivery is in the store and on the agenda. */
export function createDeliveryWorker(core: EngineCore, options: DeliveryWorkerOptions) {
  const { store, clock, scheduler, random } = core;
  const { schedule, variant, nextOrdinal } = options;
  const salt = random.hex("webhook_jitter", 16);
  const semaphore = createSemaphore(MAX_DELIVERIES_IN_FLIGHT);
  const endpointSemaphores = new Map<number, ReturnType<typeof createSemaphore>>();
  /**
   * Orders the scheduled attempts under a frozen clock, so that responses do not depend on which receiver is faster
   * (product.md, promise 5). Resends are not in it: a receiver may request one before it responds to a delivery.
   */
  const sequence = createSemaphore(1);
  const commit = createWriteBatch(store);
  const abortScope = createAbortScope();
  let excerptLimit = createExcerptLimit(store);
  let sender: Promise<WebhookSender> | undefined;
  const followers = new Set<(attempt: SettledAttempt) => void>();

  /** Loads undici with the first delivery. */
  const loadSender = (): Promise<WebhookSender> => {
    sender ??= import("./webhook-sender.ts").then(({ createWebhookSender }) => createWebhookSender(options));
    return sender;
  };

  /** The schedule may start with a delay. */
  const firstAttemptAt = (createdAt: number): number => addDelay(createdAt, schedule[0] ?? 0);

  /** Reads the delivery and the endpoint now, because they may have changed while the attempt waited for a slot. */
  const perform = async (
    delivery: DeliverySource,
    trigger: Trigger,
    signal: AbortSignal,
  ): Promise<FollowUpTask | null> => {
    if (signal.aborted) return null;
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
    const signedAt = isPreviewed ? firstAttemptAt(delivery.createdAt) : at;
    const body = readEventBody(store, delivery.event);
    const headers = buildDeliveryHeaders(variant, { type, secret, body, at: signedAt });
    const ordinal = nextOrdinal();
    const { send } = await loadSender();
    const result = signal.aborted ? null : await send({ url, headers, body });
    if (!result) return null;
    const attempt = { ...delivery, ordinal, trigger, at, url, headers, result };
    const { next, ...outcome } = await commit(() => settle(attempt));
    if (followers.size > 0) reportAttempt(attempt, outcome);
    return next;
  };

  const reportAttempt = (
    { ordinal, id, endpointId, eventType, url, at, trigger, result }: CompletedAttempt,
    outcome: Pick<SettledAttempt, "number" | "status" | "nextAttemptAt">,
  ): void => {
    const { durationMs, error, status: responseStatus } = result;
    const receiver = { deliveryId: id, endpointId, eventType, url };
    for (const follower of followers)
      follower({ ordinal, ...receiver, at, trigger, durationMs, responseStatus, error, ...outcome });
  };

  /** Reads the status again: a resend or a change of the endpoint may have come in between. */
  const settle = (attempt: CompletedAttempt) => {
    const { id, seq, endpoint, trigger, at, headers, result } = attempt;
    const { error, status: responseStatus } = result;
    const { status, nextAttemptAt, deliveredAt, ...counts } = DELIVERY_STATUSES.get(store, { seq });
    const attemptCount = counts.attemptCount + 1;
    addAttempt(store, seq, {
      number: attemptCount,
      trigger,
      at,
      durationMs: result.durationMs,
      headers,
      responseStatus,
      responseHeaders: result.headers,
      responseExcerpt: result.excerpt,
      error,
    });
    excerptLimit.count(seq, result.excerpt?.length ?? 0);
    const scheduledCount = counts.scheduledCount + (trigger === "schedule" ? 1 : 0);
    const lastError = error && `${error.code}: ${error.detail}`;
    const progress = { scheduledCount, attemptCount, lastResponseStatus: responseStatus, lastAttemptAt: at };
    const update = (
      changes: Pick<DeliveryRow, "status" | "nextAttemptAt" | "deliveredAt">,
      next: FollowUpTask | null = null,
    ) => {
      DELIVERIES.update(store, { seq }, { ...progress, lastError, ...changes });
      return { next, number: attemptCount, status: changes.status, nextAttemptAt: changes.nextAttemptAt };
    };
    if (!error) {
      recordSuccess(store, endpoint, at);
      if (trigger === "resend") scheduler.cancel("webhook.attempt", id);
      return update({ status: "delivered", nextAttemptAt: null, deliveredAt: deliveredAt ?? at });
    }
    recordAttemptFailure(attempt);
    if (trigger === "resend" || status === "delivered" || status === "failed")
      return update({ status, nextAttemptAt, deliveredAt });
    const dueAt = findNextAttemptAt(id, scheduledCount, result);
    return update(
      { status: dueAt === null ? "failed" : "retrying", nextAttemptAt: dueAt, deliveredAt },
      dueAt === null ? null : { dueAt, kind: "webhook.attempt" },
    );
  };

  const recordAttemptFailure = ({ endpoint, endpointId, at, result }: CompletedAttempt): void => {
    const { status, failingSince } = DELIVERY_TARGETS.get(store, { seq: endpoint });
    recordFailure(store, endpoint, at);
    const hasFailedTooLong = failingSince !== null && at - failingSince >= DISABLE_AFTER_MS;
    // An endpoint that was revoked meanwhile stays revoked.
    if (status !== "active" || !(result.status === GONE || hasFailedTooLong)) return;
    const disabledReason = result.status === GONE ? "receiver_gone" : "no_success";
    setEndpointStatus(store, endpoint, { status: "disabled", disabledAt: at, disabledReason });
    scheduler.reportEffect("endpoint.disable", endpointId);
  };

  const findNextAttemptAt = (id: string, attempt: number, { status, retryAfterMs }: SendResult) => {
    if (status === GONE) return null;
    // Not from a shared stream: the jitter must not depend on the order in which receivers respond.
    const jitter = createRandomNumbers(`${salt}/${id}/${attempt}`)() / 2 ** 32;
    const delayMs = nextRetryDelayMs({ schedule, attempt, jitter, retryAfterMs });
    return delayMs === null ? null : addDelay(clock.now(), delayMs);
  };

  return {
    firstAttemptAt,

    /** Makes one attempt. Resolves to the next attempt of the schedule, if there is one. */
    attempt(id: string, trigger: Trigger): Promise<FollowUpTask | null> {
      const delivery = DELIVERY_SOURCES.get(store, { id });
      const { signal } = abortScope;
      const work = () => perform(delivery, trigger, signal);
      if (clock.isFrozen && trigger === "schedule") return sequence.run(work);
      const ofEndpoint =
        endpointSemaphores.get(delivery.endpoint) ?? createSemaphore(MAX_ATTEMPTS_PER_ENDPOINT);
      endpointSemaphores.set(delivery.endpoint, ofEndpoint);
      return ofEndpoint.run(() => semaphore.run(work));
    },

    /** Calls `follower` with each attempt that is settled. Returns a function that stops it. */
    follow(follower: (attempt: SettledAttempt) => void): () => void {
      followers.add(follower);
      return () => followers.delete(follower);
    },

    /**
     * Ends the attempts in flight and those that wait for a slot. Resolves when the connections are closed. The content of the
     * store may change then.
     */
    async abort(): Promise<void> {
      const abandoned = sender;
      sender = undefined;
      abortScope.abort();
      await (await abandoned?.catch(() => undefined))?.close();
      excerptLimit = createExcerptLimit(store);
    },
  };
}
