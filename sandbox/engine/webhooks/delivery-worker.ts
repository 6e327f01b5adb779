import { setImmediate as yieldTurn } from "node:timers/promises";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import { createLimit, type Limit } from "../../../src/domain/limit.ts";
import { RandomNumbers } from "../../../src/domain/random-numbers.ts";
import { addDelay } from "../../../src/domain/time-range.ts";
import { GONE } from "../../../src/domain/webhooks/endpoints.ts";
import { nextRetryDelayMs, type RetrySchedule } from "../../../src/domain/webhooks/retry-schedule.ts";
import { ATTEMPTS, type AttemptRow, createExcerptLimit } from "../../store/attempts.ts";
import { DELIVERIES, type DeliveryRow } from "../../store/deliveries.ts";
import { ENDPOINT_TARGET_COLUMNS, ENDPOINTS, setEndpointStatus } from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import { createAbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import type { SendResult } from "./attempt-handler.ts";
import type { WebhookSender, WebhookSenderOptions } from "./webhook-sender.ts";

/** The limit of product.md §5. */
const MAX_ATTEMPTS_PER_ENDPOINT = 4;

/** An endpoint without a success for this long is disabled (product.md §5). */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

export interface DeliveryWorkerOptions extends WebhookSenderOptions {
  readonly schedule: RetrySchedule;
  readonly nextTimelinePosition: () => number;
  readonly onSettled: (attempt: SettledAttempt) => void;
}

type Trigger = AttemptRow["trigger"];

/** An attempt that is in the store, and the state of its delivery after it. Times are sandbox time. */
export interface SettledAttempt
  extends Pick<AttemptRow, "number" | "trigger" | "at" | "durationMs" | "responseStatus" | "error">,
    Pick<DeliveryRow, "endpointId" | "eventType" | "status" | "nextAttemptAt"> {
  readonly kind: "attempt";
  /** Its place among all that happens in the sandbox. */
  readonly timelinePosition: number;
  readonly deliveryId: string;
  readonly url: string;
}

/** An attempt that has ended and is not in the store yet. */
interface EndedAttempt extends Pick<SettledAttempt, "timelinePosition" | "trigger" | "at" | "url"> {
  /** Of its delivery. */
  readonly seq: number;
  readonly headers: HeaderList;
  readonly result: SendResult;
  readonly signal: AbortSignal;
}

/** Makes the attempts: prepare, send, settle. The state of a delivery is in the store and on the agenda. */
export class DeliveryWorker {
  readonly #core: EngineCore;
  readonly #options: DeliveryWorkerOptions;
  readonly #salt: string;
  readonly #endpointLimits = new Map<number, Limit>();
  /** Orders scheduled attempts under a frozen clock (product.md, promise 5), not resends: a receiver may request one. */
  readonly #sequence = createLimit(1);
  readonly #abortScope = createAbortScope();
  readonly #ended: EndedAttempt[] = [];
  /** Of the attempts in `#ended`; null for one that was aborted. */
  #settlement: Promise<readonly (SettledAttempt | null)[]> = Promise.resolve([]);
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
    const { seq, endpoint } = DELIVERIES.get(store, { id });
    const limit = clock.isFrozen && trigger === "schedule" ? this.#sequence : this.#limitOf(endpoint);
    return this.#abortScope.run(limit, (signal) => this.#perform(seq, trigger, signal));
  }

  /** Ends the attempts in flight and those that wait. Resolves when the connections are closed. */
  async abort(): Promise<void> {
    const abandoned = this.#sender;
    this.#sender = undefined;
    this.#abortScope.abort();
    await (await abandoned?.catch(() => undefined))?.close();
    this.#excerptLimit = createExcerptLimit(this.#core.store);
  }

  #limitOf(endpoint: number): Limit {
    const limit = this.#endpointLimits.get(endpoint) ?? createLimit(MAX_ATTEMPTS_PER_ENDPOINT);
    this.#endpointLimits.set(endpoint, limit);
    return limit;
  }

  #loadSender(): Promise<WebhookSender> {
    this.#sender ??= import("./webhook-sender.ts").then(({ createWebhookSender }) =>
      createWebhookSender(this.#options),
    );
    return this.#sender;
  }

  /** Reads the delivery and the endpoint now, because they may have changed while the attempt waited for a slot. */
  async #perform(seq: number, trigger: Trigger, signal: AbortSignal): Promise<FollowUpTask | null> {
    const { clock, service, store } = this.#core;
    const delivery = DELIVERIES.get(store, { seq });
    if (trigger === "schedule" && hasEnded(delivery)) return null;
    const { url, secret, status } = ENDPOINT_TARGET_COLUMNS.get(store, { seq: delivery.endpoint });
    if (status !== "active") {
      const lastError = `endpoint_not_active: the endpoint is ${status}, no attempt was made`;
      if (!hasEnded(delivery))
        DELIVERIES.update(store, { seq }, { status: "failed", lastError, nextAttemptAt: null });
      return null;
    }
    const at = clock.now();
    // The preview of a test event shows the first scheduled attempt.
    const isPreviewed = trigger === "schedule" && delivery.scheduledCount === 0;
    const signedAt = isPreviewed ? this.firstAttemptAt(delivery.createdAt) : at;
    const body = readEventBody(store, delivery.event);
    const event = { type: delivery.eventType, secret, body, at: signedAt };
    const headers = service.deliveryEncoder.encodeHeaders(event);
    const timelinePosition = this.#options.nextTimelinePosition();
    const { send } = await this.#loadSender();
    const result = signal.aborted ? null : await send({ url, headers, body });
    if (!result) return null;
    const ended = { seq, timelinePosition, trigger, at, url, headers, result, signal };
    const settled = await this.#settleSoon(ended);
    if (!settled) return null;
    this.#options.onSettled(settled);
    const isRetried = trigger === "schedule" && settled.status === "retrying";
    return isRetried ? { dueAt: Number(settled.nextAttemptAt), kind: "webhook.attempt" } : null;
  }

  /** Those of one turn of the event loop share a transaction: one for each takes a third more time for a delivery. */
  async #settleSoon(attempt: EndedAttempt): Promise<SettledAttempt | null> {
    const index = this.#ended.push(attempt) - 1;
    if (index === 0) this.#settlement = yieldTurn().then(() => this.#settleAll());
    const settled = await this.#settlement;
    return settled[index] ?? null;
  }

  #settleAll(): readonly (SettledAttempt | null)[] {
    const ended = this.#ended.splice(0);
    // After an abort, the store may be closed.
    if (ended.every(({ signal }) => signal.aborted)) return [];
    return this.#core.store.transaction(() =>
      ended.map((attempt) => (attempt.signal.aborted ? null : this.#settle(attempt))),
    );
  }

  /** Reads the delivery again: a resend or a change of the endpoint may have come in between. */
  #settle(attempt: EndedAttempt): SettledAttempt {
    const { scheduler, store } = this.#core;
    const { seq, timelinePosition, trigger, at, url, headers, result } = attempt;
    const delivery = DELIVERIES.get(store, { seq });
    const { id, endpoint, endpointId, eventType } = delivery;
    const { durationMs, error, excerpt, status: responseStatus } = result;
    const attemptCount = delivery.attemptCount + 1;
    const scheduledCount = delivery.scheduledCount + (trigger === "schedule" ? 1 : 0);
    const summary = { number: attemptCount, trigger, at, durationMs, responseStatus, error };
    const response = { responseHeaders: result.headers, responseExcerpt: excerpt };
    this.#excerptLimit.makeRoom(excerpt?.length ?? 0);
    ATTEMPTS.insert(store, { delivery: seq, ...summary, headers, ...response });
    this.#updateEndpoint(endpoint, at, result);
    if (!error && trigger === "resend") scheduler.cancel("webhook.attempt", id);
    const state = this.#findNextState({ ...delivery, scheduledCount }, attempt);
    const lastError = error && `${error.code}: ${error.detail}`;
    const progress = { scheduledCount, attemptCount, lastResponseStatus: responseStatus, lastAttemptAt: at };
    DELIVERIES.update(store, { seq }, { ...progress, lastError, ...state });
    const { status, nextAttemptAt } = state;
    const receiver = { deliveryId: id, endpointId, eventType, url };
    return { kind: "attempt", timelinePosition, ...receiver, ...summary, status, nextAttemptAt };
  }

  /** A failing resend changes nothing, and neither does a failing attempt after a successful resend. */
  #findNextState(
    delivery: DeliveryRow,
    { trigger, at, result }: EndedAttempt,
  ): Pick<DeliveryRow, "status" | "nextAttemptAt" | "deliveredAt"> {
    const { status, nextAttemptAt, deliveredAt } = delivery;
    if (!result.error) return { status: "delivered", nextAttemptAt: null, deliveredAt: deliveredAt ?? at };
    if (trigger === "resend" || hasEnded(delivery)) return { status, nextAttemptAt, deliveredAt };
    const dueAt = this.#findRetryTime(delivery, result);
    return { status: dueAt === null ? "failed" : "retrying", nextAttemptAt: dueAt, deliveredAt };
  }

  #updateEndpoint(seq: number, at: number, { error, status: responseStatus }: SendResult): void {
    const { store } = this.#core;
    if (!error) {
      ENDPOINTS.update(store, { seq }, { lastDeliveryAt: at, lastSuccessAt: at, failingSince: null });
      return;
    }
    const { status, failingSince } = ENDPOINT_TARGET_COLUMNS.get(store, { seq });
    const failure = { lastDeliveryAt: at, lastFailureAt: at, failingSince: failingSince ?? at };
    ENDPOINTS.update(store, { seq }, failure);
    const hasFailedTooLong = failingSince !== null && at - failingSince >= DISABLE_AFTER_MS;
    // An endpoint that was revoked meanwhile stays revoked.
    if (status !== "active" || !(responseStatus === GONE || hasFailedTooLong)) return;
    const disabledReason = responseStatus === GONE ? "receiver_gone" : "no_success";
    setEndpointStatus(store, seq, { status: "disabled", disabledAt: at, disabledReason });
  }

  #findRetryTime({ id, scheduledCount }: DeliveryRow, { status, retryAfterMs }: SendResult): number | null {
    if (status === GONE) return null;
    // Not from a shared stream: the jitter must not depend on the order in which receivers respond.
    const jitter = RandomNumbers.fromKey(`${this.#salt}/${id}/${scheduledCount}`).fraction();
    const { schedule } = this.#options;
    const delayMs = nextRetryDelayMs({ schedule, attempt: scheduledCount, jitter, retryAfterMs });
    return delayMs === null ? null : addDelay(this.#core.clock.now(), delayMs);
  }
}

const hasEnded = ({ status }: DeliveryRow): boolean => status === "delivered" || status === "failed";
