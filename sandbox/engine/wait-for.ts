import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery } from "../../src/contract/webhooks.ts";
import { JOB_STATES } from "../../src/domain/diligence/states.ts";
import { ClaimsError, interruptedError } from "../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../src/domain/json.ts";
import { DELIVERY_STATES } from "../../src/domain/webhooks/deliveries.ts";
import { isEventName } from "../../src/domain/webhooks/event-types.ts";
import type { DeliveryCondition, JobCondition, WaitCondition, WaitResult } from "../api/webhooks.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { findJob } from "../store/jobs.ts";
import type { Engine } from "./engine.ts";
import { toJob } from "./jobs/to-job.ts";
import { toDelivery } from "./webhooks/records.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 20;

/** Milliseconds. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** Milliseconds: a day. */
const MAX_TIMEOUT_MS = 86_400_000;

/** What is there at this moment, and whether that is what is waited for. */
interface Observation {
  readonly record: Job | Delivery | null;
  readonly isMet: boolean;
  /** The same in words. */
  readonly description: string;
}

/** Looks until it is so. */
export async function waitFor<W extends WaitCondition>(
  engine: Engine,
  what: W,
  {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal,
  }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<WaitResult<W>> {
  validateCondition(what);
  validateTimeout(timeoutMs);
  const look =
    "job" in what ? () => observeJob(engine, what.job) : () => observeDelivery(engine, what.delivery);
  let isTimeUp = false;
  const timer = setTimeout(() => {
    isTimeUp = true;
  }, timeoutMs);
  try {
    for (;;) {
      engine.closeSignal.throwIfAborted();
      if (signal?.aborted) throw interruptedError(signal.reason);
      const isLast = isTimeUp;
      const { record, isMet: isGranted, description: words } = look();
      if (isGranted) return record as WaitResult<W>;
      if (isLast) throw waitTimedOut(words, timeoutMs, engine);
      await pause(POLL_INTERVAL_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

function observeJob({ store }: Engine, { id, state }: JobCondition): Observation {
  const job = findJob(store, id);
  if (!job) {
    throw new ClaimsError("not_found", "job_not_found", `there is no job ${id}`, {
      hint: "`claims diligence history` shows those of this machine",
    });
  }
  const hasEnded = job.state !== "queued" && job.state !== "processing";
  return {
    record: toJob(job),
    isMet: state === undefined ? hasEnded : job.state === state,
    description: `job ${id} is ${job.state}`,
  };
}

function observeDelivery({ store, webhooks }: Engine, { status, ...filter }: DeliveryCondition): Observation {
  // An id that is none would be waited for in vain.
  if (filter.id !== undefined) webhooks.delivery(filter.id);
  if (filter.endpointId !== undefined) webhooks.endpoint(filter.endpointId);
  const wanted = status === undefined ? ["delivered", "failed"] : [status];
  const [found] = wanted.flatMap((each) => listLatestDeliveries(store, { ...filter, status: each }, 1));
  if (found) return { record: toDelivery(found), isMet: true, description: "" };
  const [other] = listLatestDeliveries(store, filter, 1);
  return {
    record: null,
    isMet: false,
    description: other ? `delivery ${other.id} is ${other.status}` : "there is no such delivery",
  };
}

/** What a delivery, or a job, can be waited for by. */
const CONDITION_FIELDS = {
  delivery: ["id", "endpointId", "eventType", "status"],
  job: ["id", "state"],
} as const;

function validateCondition(what: unknown): void {
  const [[name = "", wish] = [], ...more] = Object.entries(isRecord(what) ? what : {});
  const parts: readonly string[] = name === "delivery" || name === "job" ? CONDITION_FIELDS[name] : [];
  const fields = Object.entries(isRecord(wish) ? wish : { "": null });
  const isKnown = fields.every(([part, value]) => parts.includes(part) && typeof value === "string");
  const { status, state, eventType } = Object.fromEntries(fields);
  const isReachable =
    (eventType === undefined || (typeof eventType === "string" && isEventName(eventType))) &&
    (status === undefined || DELIVERY_STATES.some((each) => each === status)) &&
    (state === undefined || JOB_STATES.some((each) => each === state));
  const isNamed = name !== "job" || fields.some(([part]) => part === "id");
  if (more.length === 0 && parts.length > 0 && isKnown && isReachable && isNamed) return;
  throw new ClaimsError("usage", "validation_failed", `nothing can be waited for by ${quoteValue(what)}`, {
    hint: `give a delivery with some of ${CONDITION_FIELDS.delivery.join(", ")} (${DELIVERY_STATES.join(", ")}), or a job with id and state (${JOB_STATES.join(", ")})`,
  });
}

function validateTimeout(timeoutMs: unknown): void {
  const isWhole = typeof timeoutMs === "number" && Number.isSafeInteger(timeoutMs);
  if (isWhole && timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS) return;
  throw new ClaimsError(
    "usage",
    "validation_failed",
    `nothing can be waited for ${quoteValue(timeoutMs)} ms`,
    {
      hint: `give 0 to ${MAX_TIMEOUT_MS} milliseconds`,
    },
  );
}

const waitTimedOut = (words: string, timeoutMs: number, { clock }: Engine): ClaimsError =>
  new ClaimsError("pending", "wait_timed_out", `${words} after ${timeoutMs / 1000} s`, {
    hint: clock.isFrozen
      ? "the clock is frozen: what waits on it runs when it is advanced"
      : "wait longer, or look at what waits on the agenda",
    retryable: true,
  });
