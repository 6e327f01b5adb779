import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { SINK_VERDICTS } from "../../src/contract/control-responses.ts";
import type { Job } from "../../src/contract/operations/diligence.ts";
import type { Delivery } from "../../src/contract/operations/webhooks.ts";
import { JOB_STATES } from "../../src/domain/diligence/states.ts";
import { ClaimsError, notFoundError, usageError } from "../../src/domain/errors.ts";
import type { LoggedRequest } from "../api/requests.ts";
import type { JobCondition, SinkCondition, SinkRequest, WaitCondition, WaitResult } from "../api/webhooks.ts";
import { checkFields, type FieldChecks, integer, SIGNAL, text, word } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import { toJob } from "../engine/jobs/to-job.ts";
import { parseFilter } from "../engine/request-log/filter.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { parseDeliveryCondition } from "../engine/webhooks/delivery-filter.ts";
import { toDelivery } from "../engine/webhooks/records.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import { JOBS } from "../store/jobs.ts";
import { requireSink } from "./webhooks.ts";

const POLL_INTERVAL_MS = 20;

const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_TIMEOUT_MS = 86_400_000;

interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const WAIT_OPTIONS: FieldChecks<WaitOptions> = {
  timeoutMs: integer(0, MAX_TIMEOUT_MS, " milliseconds"),
  signal: SIGNAL,
};

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
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = checkFields(options, WAIT_OPTIONS, refusal);
  const observe = createObserver(engine, condition);
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
      if (isLast) throw waitTimedOut(description, timeoutMs, chooseHint(engine, condition));
      await pause(POLL_INTERVAL_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

type Observe = () => Observation;

/** By the kind of the condition; each checks the fields of its own. */
const OBSERVERS = {
  request: observeRequest,
  delivery: observeDelivery,
  job: observeJob,
  sink: observeSink,
} as const satisfies Readonly<Record<string, (engine: Engine, condition: unknown) => Observe>>;

function createObserver(engine: Engine, condition: unknown): Observe {
  const kinds = { request: null, delivery: null, job: null, sink: null };
  const given = checkFields(condition, kinds, { what: "the condition of waitFor()", noun: "field" });
  const [first, ...others] = Object.entries(given);
  if (first && others.length === 0) {
    const [kind, fields] = first;
    return OBSERVERS[kind as keyof typeof OBSERVERS](engine, fields);
  }
  throw usageError("validation_failed", "a wait needs exactly one condition", {
    hint: `give one of ${Object.keys(kinds).join(", ")}`,
  });
}

const LATEST = { before: null, limit: 1 } as const;

const JOB_FIELDS: FieldChecks<JobCondition> = {
  id: text("the id of a job"),
  state: word(JOB_STATES, JOB_STATES.join(", ")),
};

/** Without a state, the job must have ended. */
function observeJob({ store }: Engine, condition: unknown): Observe {
  const { id, state } = checkFields(condition, JOB_FIELDS, { what: "the condition of a job", noun: "field" });
  const states = state === undefined ? (["completed", "partial", "failed"] as const) : [state];
  return () => {
    // An unknown id would never meet the condition.
    if (id !== undefined && !JOBS.find(store, { id }))
      throw notFoundError("job_not_found", `no job ${id}`, {
        hint: "check the id; a reset, a restart and another snapshot forget the jobs",
      });
    const [job] = states.flatMap((inState) => JOBS.list(store, { id, state: inState }, LATEST));
    if (job) return { record: toJob(job), description: "" };
    const [latest] = JOBS.list(store, { id }, LATEST);
    return { record: null, description: latest ? `job ${latest.id} is ${latest.state}` : "no such job" };
  };
}

/** Without a status, the delivery must have ended. */
function observeDelivery({ store, webhooks }: Engine, condition: unknown): Observe {
  const { status, ...filter } = parseDeliveryCondition(condition);
  const states = status === undefined ? (["delivered", "failed"] as const) : [status];
  return () => {
    // An unknown id would never meet the condition: both getters throw for one.
    if (filter.id !== undefined) webhooks.delivery(filter.id);
    if (filter.endpointId !== undefined) webhooks.endpoint(filter.endpointId);
    const [delivery] = states.flatMap((inState) =>
      DELIVERIES.list(store, { ...filter, status: inState }, LATEST),
    );
    if (delivery) return { record: toDelivery(delivery), description: "" };
    const [latest] = DELIVERIES.list(store, filter, LATEST);
    const description = latest ? `delivery ${latest.id} is ${latest.status}` : "no such delivery";
    return { record: null, description };
  };
}

function observeRequest({ requestLog, store }: Engine, condition: unknown): Observe {
  const { matches } = parseFilter(condition);
  return () => {
    const matching = requestLog.entries().filter(matches);
    const ended = matching.find(({ result }) => result !== null);
    return {
      record: ended ? toLoggedRequest(ended, store) : null,
      description: matching.length > 0 ? "the request is running" : "no such request",
    };
  };
}

const SINK_FIELDS: FieldChecks<SinkCondition> = {
  name: text("the name of a sink"),
  verdict: word(SINK_VERDICTS, SINK_VERDICTS.join(", ")),
};

function observeSink(engine: Engine, condition: unknown): Observe {
  const refusal = { what: "the condition of a sink", noun: "field" } as const;
  const { name = "default", verdict } = checkFields(condition, SINK_FIELDS, refusal);
  requireSink(engine, name);
  return () => {
    const received = engine.sinks.entriesOf(name);
    const matching = received.find((entry) => verdict === undefined || entry.verdict === verdict);
    const last = received.at(-1);
    return {
      record: matching ?? null,
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
