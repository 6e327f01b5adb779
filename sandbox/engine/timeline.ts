import type { LoggedRequest } from "../api/requests.ts";
import { listAttempts } from "../store/attempts.ts";
import { type DeliveryRow, listLatestDeliveries } from "../store/deliveries.ts";
import { type JobRow, listLatestJobs } from "../store/jobs.ts";
import type { Engine } from "./engine.ts";
import { createRequestsApi } from "./request-log/requests-api.ts";
import { formatTime } from "./scheduler/clock.ts";

/** Of each kind: a test that fails is about the latest ones. */
const MAX_ITEMS_PER_KIND = 100;

/** Something that happened, at a time of the sandbox clock. */
interface TimelineEvent {
  /** RFC 3339 */
  readonly at: string;
  readonly description: string;
}

/**
 * What happened in a sandbox and what is to come, in lines for a person: requests, runs of jobs, attempts of deliveries,
 * the agenda and the faults. Redacted as the journal is.
 */
export async function renderTimeline(engine: Engine): Promise<string> {
  const { idle, scheduler, clock, faults, requestLog, store, url } = engine;
  const requests =
    requestLog.size === 0 ? [] : await createRequestsApi(engine).list({ limit: MAX_ITEMS_PER_KIND });
  return idle.whenSettled(() => {
    const happened = [
      ...requests.map(requestEvent),
      ...listLatestJobs(store, MAX_ITEMS_PER_KIND).reverse().flatMap(jobEvents),
      ...listLatestDeliveries(store, {}, MAX_ITEMS_PER_KIND)
        .reverse()
        .flatMap((delivery) => attemptEvents(engine, delivery)),
    ].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
    const due = scheduler.agenda().map(({ dueAt, kind, subject }) => `${dueAt}  ${kind} ${subject}`);
    const rules = faults
      .list()
      .map(({ id, words, matched, applied }) => `${id}. ${words} (${applied} of ${matched})`);
    return [
      `Sandbox ${url}, ${formatTime(clock.now())} by its ${clock.isFrozen ? "frozen" : "running"} clock`,
      ...renderSection(
        "What happened",
        happened.map(({ at, description }) => `${at}  ${description}`),
      ),
      ...renderSection("What is due", due),
      ...renderSection("Faults, and how many requests they were applied to", rules),
      "",
    ].join("\n");
  });
}

const renderSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

function requestEvent({
  at,
  number,
  method,
  target,
  status,
  outcome,
  ...entry
}: LoggedRequest): TimelineEvent {
  const told = [
    outcome === "answered" ? String(status) : outcome,
    ...(entry.fault === null ? [] : [`fault: ${entry.fault}`]),
    ...(entry.idempotentReplay ? ["the stored answer"] : []),
    ...(entry.varied.length === 0 ? [] : [`greased: ${entry.varied.join(" ")}`]),
    ...(status !== null && status >= 400 ? [firstProblemLine(entry)] : []),
  ];
  return { at, description: `request ${number}: ${method} ${target} → ${told.join(", ")}` };
}

/** What was wrong, as the caller was told it. */
function firstProblemLine({ responseBody }: Pick<LoggedRequest, "responseBody">): string {
  const [line = ""] = (responseBody?.text ?? "").split("\n");
  return line.slice(0, 300);
}

function jobEvents({ id, state, createdAt, finishedAt, runCount, failure }: JobRow): TimelineEvent[] {
  const end = failure ? `${state} (${failure.code}: ${failure.detail})` : state;
  return [
    { at: formatTime(createdAt), description: `job ${id}: submitted` },
    ...(finishedAt === null
      ? [{ at: formatTime(createdAt), description: `job ${id}: ${state}` }]
      : [{ at: formatTime(finishedAt), description: `job ${id}: ${end}, run ${runCount}` }]),
  ];
}

function attemptEvents(
  { store }: Engine,
  { id, seq, eventType, createdAt, status }: DeliveryRow,
): TimelineEvent[] {
  const attempts = listAttempts(store, seq).map(({ at, number, trigger, responseStatus, error }) => ({
    at: formatTime(at),
    description: `delivery ${id} (${eventType}): attempt ${number}${trigger === "resend" ? ", a resend" : ""} → ${
      error ? `${error.code}: ${error.detail}` : responseStatus
    }`,
  }));
  return attempts.length > 0
    ? attempts
    : [{ at: formatTime(createdAt), description: `delivery ${id} (${eventType}): ${status}` }];
}
