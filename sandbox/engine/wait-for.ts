import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery } from "../../src/contract/webhooks.ts";
import { JOB_STATES } from "../../src/domain/diligence/states.ts";
import { ClaimsError, interruptedError } from "../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../src/domain/json.ts";
import { DELIVERY_STATES } from "../../src/domain/webhooks/deliveries.ts";
import { isEventName } from "../../src/domain/webhooks/events.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { findJob } from "../store/jobs.ts";
import type { DeliveryCondition, WaitResult, JobCondition, WaitCondition } from "../webhooks.ts";
import type { Engine } from "./engine.ts";
import { jobRecord } from "./job-record.ts";
import { deliveryRecord } from "./webhooks/records.ts";

/** Milliseconds between two looks. */
const PAUSE = 20;

/** Milliseconds. */
const USUAL_TIMEOUT = 15_000;

/** Milliseconds: a day. */
const LONGEST_TIMEOUT = 86_400_000;

/** What is there at this moment, and whether that is what is waited for. */
interface Seen {
  readonly record: Job | Delivery | null;
  readonly isGranted: boolean;
  /** The same in words. */
  readonly words: string;
}

/** Looks until it is so. */
export async function waitFor<W extends WaitCondition>(
  engine: Engine,
  what: W,
  { timeoutMs = USUAL_TIMEOUT, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<WaitResult<W>> {
  checkWish(what);
  checkTimeout(timeoutMs);
  const look = "job" in what ? () => seenJob(engine, what.job) : () => seenDelivery(engine, what.delivery);
  let isTimeUp = false;
  const timer = setTimeout(() => {
    isTimeUp = true;
  }, timeoutMs);
  try {
    for (;;) {
      engine.closing.throwIfAborted();
      if (signal?.aborted) throw interruptedError(signal.reason);
      const isLast = isTimeUp;
      const { record, isGranted, words } = look();
      if (isGranted) return record as WaitResult<W>;
      if (isLast) throw timedOut(words, timeoutMs, engine);
      await pause(PAUSE);
    }
  } finally {
    clearTimeout(timer);
  }
}

function seenJob({ store }: Engine, { id, state }: JobCondition): Seen {
  const job = findJob(store, id);
  if (!job) {
    throw new ClaimsError("not_found", "job_not_found", `there is no job ${id}`, {
      hint: "`claims diligence history` shows those of this machine",
    });
  }
  const hasEnded = job.state !== "queued" && job.state !== "processing";
  return {
    record: jobRecord(job),
    isGranted: state === undefined ? hasEnded : job.state === state,
    words: `job ${id} is ${job.state}`,
  };
}

function seenDelivery({ store, webhooks }: Engine, { status, ...filter }: DeliveryCondition): Seen {
  // An id that is none would be waited for in vain.
  if (filter.id !== undefined) webhooks.delivery(filter.id);
  if (filter.endpointId !== undefined) webhooks.endpoint(filter.endpointId);
  const wanted = status === undefined ? ["delivered", "failed"] : [status];
  const [found] = wanted.flatMap((each) => listLatestDeliveries(store, { ...filter, status: each }, 1));
  if (found) return { record: deliveryRecord(found), isGranted: true, words: "" };
  const [other] = listLatestDeliveries(store, filter, 1);
  return {
    record: null,
    isGranted: false,
    words: other ? `delivery ${other.id} is ${other.status}` : "there is no such delivery",
  };
}

/** What a delivery, or a job, can be waited for by. */
const PARTS = { delivery: ["id", "endpointId", "eventType", "status"], job: ["id", "state"] } as const;

function checkWish(what: unknown): void {
  const [[name = "", wish] = [], ...more] = Object.entries(isRecord(what) ? what : {});
  const parts: readonly string[] = name === "delivery" || name === "job" ? PARTS[name] : [];
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
    hint: `give a delivery with some of ${PARTS.delivery.join(", ")} (${DELIVERY_STATES.join(", ")}), or a job with id and state (${JOB_STATES.join(", ")})`,
  });
}

function checkTimeout(timeoutMs: unknown): void {
  const isWhole = typeof timeoutMs === "number" && Number.isSafeInteger(timeoutMs);
  if (isWhole && timeoutMs >= 0 && timeoutMs <= LONGEST_TIMEOUT) return;
  throw new ClaimsError(
    "usage",
    "validation_failed",
    `nothing can be waited for ${quoteValue(timeoutMs)} ms`,
    {
      hint: `give 0 to ${LONGEST_TIMEOUT} milliseconds`,
    },
  );
}

const timedOut = (words: string, timeoutMs: number, { clock }: Engine): ClaimsError =>
  new ClaimsError("pending", "wait_timed_out", `${words} after ${timeoutMs / 1000} s`, {
    hint: clock.frozen
      ? "the clock is frozen: what waits on it runs when it is advanced"
      : "wait longer, or look at what waits on the agenda",
    retryable: true,
  });
