import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { CONTROL_OPERATIONS } from "../../src/contract/control.ts";
import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery } from "../../src/contract/webhooks.ts";
import { ClaimsError, interruptedError, notFoundError, usageError } from "../../src/domain/errors.ts";
import { isRecord } from "../../src/domain/json.ts";
import type { DeliveryCondition, JobCondition, WaitCondition, WaitResult } from "../api/webhooks.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { findJob } from "../store/jobs.ts";
import { ProblemError } from "../wire/problem-error.ts";
import { requireValid } from "../wire/validate.ts";
import type { Engine } from "./engine.ts";
import { toJob } from "./jobs/to-job.ts";
import { toDelivery } from "./webhooks/records.ts";

const POLL_INTERVAL_MS = 20;

const DEFAULT_TIMEOUT_MS = 15_000;

interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The present state: the record if the condition is met, and a description for a timeout. */
interface Observation {
  readonly record: Job | Delivery | null;
  readonly description: string;
}

/** Polls until the condition is met. It does not move the clock. */
export async function waitFor<W extends WaitCondition>(
  engine: Engine,
  condition: W,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: WaitOptions = {},
): Promise<WaitResult<W>> {
  await requireValidCondition(condition, timeoutMs);
  const observe = () =>
    "job" in condition ? observeJob(engine, condition.job) : observeDelivery(engine, condition.delivery);
  let isTimeUp = false;
  const timer = setTimeout(() => {
    isTimeUp = true;
  }, timeoutMs);
  try {
    for (;;) {
      engine.closeSignal.throwIfAborted();
      if (signal?.aborted) throw interruptedError(signal.reason);
      const isLast = isTimeUp;
      const { record, description } = observe();
      if (record) return record as WaitResult<W>;
      if (isLast) throw waitTimedOut(description, timeoutMs, engine);
      await pause(POLL_INTERVAL_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function requireValidCondition(condition: unknown, timeoutMs: number): Promise<void> {
  const hint = 'give {"delivery": {…}} or {"job": {"id": …}}, and a timeout of up to a day';
  const input = isRecord(condition) ? { ...condition, timeoutMs } : condition;
  try {
    await requireValid(input, CONTROL_OPERATIONS["POST /wait"].body, (pointer) => ({ pointer }));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw usageError("validation_failed", error.message, { hint });
  }
  if (isRecord(condition) && Object.keys(condition).length === 1) return;
  throw usageError("validation_failed", "a wait needs exactly one condition", { hint });
}

/** Without a state, the job must have ended. */
function observeJob({ store }: Engine, { id, state }: JobCondition): Observation {
  const job = findJob(store, id);
  if (!job) {
    throw notFoundError("job_not_found", `no job ${id}`, {
      hint: "list the jobs of this machine with `claims diligence history`",
    });
  }
  const hasEnded = job.state !== "queued" && job.state !== "processing";
  const isMet = state === undefined ? hasEnded : job.state === state;
  return { record: isMet ? toJob(job) : null, description: `job ${id} is ${job.state}` };
}

/** Without a status, the delivery must have ended. */
function observeDelivery({ store, webhooks }: Engine, { status, ...filter }: DeliveryCondition): Observation {
  // An unknown id would never be met.
  if (filter.id !== undefined) webhooks.delivery(filter.id);
  if (filter.endpointId !== undefined) webhooks.endpoint(filter.endpointId);
  const statuses = status === undefined ? ["delivered", "failed"] : [status];
  const [met] = statuses.flatMap((each) => listLatestDeliveries(store, { ...filter, status: each }, 1));
  const [latest] = met ? [] : listLatestDeliveries(store, filter, 1);
  return {
    record: met ? toDelivery(met) : null,
    description: latest ? `delivery ${latest.id} is ${latest.status}` : "no such delivery",
  };
}

const waitTimedOut = (description: string, timeoutMs: number, { clock }: Engine) =>
  new ClaimsError("pending", "wait_timed_out", `${description} after ${timeoutMs / 1000} s`, {
    hint: clock.isFrozen
      ? "the clock is frozen: advance it to run what falls due"
      : "wait longer, or look at the agenda",
    retryable: true,
  });
