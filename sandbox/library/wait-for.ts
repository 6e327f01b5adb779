import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { CONTROL_OPERATIONS } from "../../src/contract/control.ts";
import type { Job } from "../../src/contract/operations/diligence.ts";
import type { Delivery } from "../../src/contract/operations/webhooks.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import { ClaimsError, notFoundError, usageError } from "../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../src/domain/json.ts";
import type { DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { LoggedRequest } from "../api/requests.ts";
import type {
  DeliveryCondition,
  JobCondition,
  RequestCondition,
  SandboxMark,
  SinkCondition,
  SinkRequest,
  WaitCondition,
  WaitResult,
} from "../api/webhooks.ts";
import { checkFields, SIGNAL } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import { toJob } from "../engine/jobs/to-job.ts";
import { parseFilter } from "../engine/request-log/filter.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { findClosestEventType } from "../engine/webhooks/delivery-filter.ts";
import { toDelivery } from "../engine/webhooks/records.ts";
import { DELIVERIES, listLatestDeliveries } from "../store/deliveries.ts";
import { findJob, JOBS } from "../store/jobs.ts";
import { ProblemError } from "../wire/problem-error.ts";
import { requireValid } from "../wire/validate.ts";
import { requireRequestLog } from "./requests.ts";
import { requireSink } from "./webhooks.ts";

const POLL_INTERVAL_MS = 20;

const DEFAULT_TIMEOUT_MS = 15_000;

interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The present state: the record if the condition is met, and a description for a timeout. */
interface Observation {
  readonly record: Job | Delivery | LoggedRequest | SinkRequest | null;
  readonly description: string;
}

export async function waitFor<W extends WaitCondition>(
  engine: Engine,
  condition: W,
  options: WaitOptions = {},
): Promise<WaitResult<W>> {
  const refusal = { what: "waitFor()", noun: "option" } as const;
  const checks = { timeoutMs: null, signal: SIGNAL };
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = checkFields<WaitOptions>(options, checks, refusal);
  // The mark is of the call, not of the end of the validation.
  const now = createMark(engine);
  await requireValidCondition(condition, timeoutMs);
  const { since, ...kind } = condition;
  const observe = createObserver(engine, kind, since === "now" ? now : since);
  let isTimeUp = false;
  const timer = setTimeout(() => {
    isTimeUp = true;
  }, timeoutMs);
  try {
    for (;;) {
      engine.closeSignal.throwIfAborted();
      if (signal?.aborted) throw signal.reason;
      const isLast = isTimeUp;
      const { record, description } = observe();
      if (record) return record as WaitResult<W>;
      if (isLast) throw waitTimedOut(description, timeoutMs, chooseHint(engine, kind));
      await pause(POLL_INTERVAL_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

export const createMark = ({ requestLog, sinks, store }: Engine): SandboxMark => ({
  requests: requestLog.received,
  deliveries: DELIVERIES.list(store, {}, LATEST)[0]?.seq ?? 0,
  jobs: JOBS.list(store, {}, LATEST)[0]?.seq ?? 0,
  sinkRequests: sinks.received,
});

const LATEST = { before: null, limit: 1 } as const;

const START: SandboxMark = { requests: 0, deliveries: 0, jobs: 0, sinkRequests: 0 };

function createObserver(
  engine: Engine,
  condition: Omit<WaitCondition, "since">,
  since: SandboxMark = START,
): () => Observation {
  if ("job" in condition) return () => observeJob(engine, condition.job as JobCondition, since.jobs);
  if ("request" in condition)
    return createRequestObserver(engine, condition.request as RequestCondition, since.requests);
  if ("sink" in condition)
    return createSinkObserver(engine, condition.sink as SinkCondition, since.sinkRequests);
  const { delivery } = condition as { readonly delivery: DeliveryCondition };
  return () => observeDelivery(engine, delivery, since.deliveries);
}

const CONDITION_FIELDS = {
  request: "operation, status, method, path and fault",
  delivery: "id, endpointId, eventType and status",
  job: "id and state",
  sink: "name and verdict",
} as const;

async function requireValidCondition(condition: unknown, timeoutMs: number): Promise<void> {
  const given = isRecord(condition) ? condition : {};
  const [named] = Object.entries(CONDITION_FIELDS).filter(([name]) => name in given);
  const closest = isRecord(given.delivery) ? findClosestEventType(given.delivery.eventType) : null;
  const hint =
    closest !== null
      ? `the closest event type is ${closest}`
      : named
        ? `${named[0]} takes ${named[1]}; a timeout is up to a day`
        : "give one of request, delivery, job and sink, and a timeout of up to a day";
  if (closest !== null)
    throw usageError("validation_failed", `an unknown event type in ${quoteValue(given.delivery)}`, { hint });
  const input = isRecord(condition) ? { ...condition, timeoutMs } : condition;
  try {
    await requireValid(input, CONTROL_OPERATIONS["POST /wait"].body, (pointer) => ({ pointer }));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw usageError("validation_failed", error.message, { hint });
  }
  const { since: _, ...kinds } = isRecord(condition) ? condition : {};
  const [kind, ...others] = Object.values(kinds);
  if (kind !== undefined && others.length === 0) return;
  throw usageError("validation_failed", "a wait needs exactly one condition", { hint });
}

/** Without a state, the job must have ended. */
function observeJob({ store }: Engine, { id, state }: JobCondition, since: number): Observation {
  // An unknown id would never be met.
  if (id !== undefined && !findJob(store, id))
    throw notFoundError("job_not_found", `no job ${id}`, {
      hint: "check the id; a reset, a restart and another snapshot forget the jobs",
    });
  const states = state === undefined ? (["completed", "partial", "failed"] as const) : [state];
  const list = (wanted?: JobState) => JOBS.list(store, { id, state: wanted }, LATEST);
  return observeLatest(list, states, since, toJob, (job) =>
    job ? `job ${job.id} is ${job.state}` : "no such job",
  );
}

/** Without a status, the delivery must have ended. */
function observeDelivery(
  { store, webhooks }: Engine,
  { status, ...filter }: DeliveryCondition,
  since: number,
): Observation {
  // An unknown id would never be met.
  if (filter.id !== undefined) webhooks.delivery(filter.id);
  if (filter.endpointId !== undefined) webhooks.endpoint(filter.endpointId);
  const statuses = status === undefined ? (["delivered", "failed"] as const) : [status];
  const list = (wanted?: DeliveryState) => listLatestDeliveries(store, { ...filter, status: wanted }, LATEST);
  return observeLatest(list, statuses, since, toDelivery, (delivery) =>
    delivery ? `delivery ${delivery.id} is ${delivery.status}` : "no such delivery",
  );
}

/** @param list the latest row that a condition selects, in a state or in any */
function observeLatest<Row extends { readonly seq: number }, State>(
  list: (state?: State) => readonly Row[],
  states: readonly State[],
  since: number,
  toRecord: (row: Row) => Job | Delivery,
  describe: (row: Row | undefined) => string,
): Observation {
  const isNew = ({ seq }: Row) => seq > since;
  const met = states.flatMap((state) => list(state)).find(isNew);
  return { record: met ? toRecord(met) : null, description: met ? "" : describe(list().find(isNew)) };
}

function createRequestObserver(
  engine: Engine,
  condition: RequestCondition,
  since: number,
): () => Observation {
  const { requestLog, store } = engine;
  requireRequestLog(engine);
  const { test } = parseFilter(condition);
  return () => {
    const matching = requestLog.entries().filter((each) => requestLog.isAfter(each, since) && test(each));
    const met = matching.find(({ result }) => result !== null);
    return {
      record: met ? toLoggedRequest(met, store) : null,
      description: matching.length > 0 ? "the request is running" : "no such request",
    };
  };
}

function createSinkObserver(
  engine: Engine,
  { name = "default", verdict }: SinkCondition,
  since: number,
): () => Observation {
  requireSink(engine, name);
  return () => {
    const received = engine.sinks.entriesOf(name).filter((entry) => engine.sinks.isAfter(entry, since));
    const met = received.find((entry) => verdict === undefined || entry.verdict === verdict);
    const last = received.at(-1);
    return {
      record: met ?? null,
      description: last
        ? `the last request to the sink ${name} is ${last.verdict}`
        : `no request to the sink ${name}`,
    };
  };
}

const waitTimedOut = (description: string, timeoutMs: number, hint: string) =>
  new ClaimsError("pending", "wait_timed_out", `${description} after ${timeoutMs / 1000} s`, {
    hint,
    retryable: true,
  });

/** No clock makes a client send a request. */
function chooseHint({ clock }: Engine, condition: object): string {
  if ("request" in condition) return "wait longer, or look at the request log";
  return clock.isFrozen
    ? "the clock is frozen: advance it to run what falls due"
    : "wait longer, or look at the agenda";
}
