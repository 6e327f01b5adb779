import { describeRequestNotes } from "../../src/domain/activity/request-notes.ts";
import type { LoggedRequest } from "../api/requests.ts";
import { listAttempts } from "../store/attempts.ts";
import { type DeliveryRow, listLatestDeliveries } from "../store/deliveries.ts";
import { JOBS, type JobRow } from "../store/jobs.ts";
import type { Store } from "../store/open.ts";
import type { Engine } from "./engine.ts";
import { createRequestsApi } from "./requests-api.ts";
import { formatTime } from "./scheduler/clock.ts";

/** A failing test is about the latest items. */
const MAX_ITEMS_PER_KIND = 100;

interface TimelineEvent {
  /** RFC 3339, sandbox time */
  readonly at: string;
  readonly description: string;
}

/** Renders requests, runs, delivery attempts, the agenda and the faults as text. Redacted like the request log. */
export async function renderTimeline(engine: Engine): Promise<string> {
  const { idle, scheduler, clock, faults, requestLog, store, url } = engine;
  const requests =
    requestLog.size === 0 ? [] : await createRequestsApi(engine).list({ limit: MAX_ITEMS_PER_KIND });
  return idle.whenSettled(() => {
    const events = [
      ...requests.map(requestEvent),
      ...JOBS.list(store, {}, { before: null, limit: MAX_ITEMS_PER_KIND }).reverse().flatMap(jobEvents),
      ...listLatestDeliveries(store, {}, MAX_ITEMS_PER_KIND)
        .reverse()
        .flatMap((delivery) => attemptEvents(store, delivery)),
    ].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
    const tasks = scheduler.agenda().map(({ dueAt, kind, subject }) => `${dueAt}  ${kind} ${subject}`);
    const rules = faults
      .list()
      .map(({ id, description, matched, applied }) => `${id}. ${description} (${applied} of ${matched})`);
    return [
      `Sandbox ${url}, ${formatTime(clock.now())} by its ${clock.isFrozen ? "frozen" : "running"} clock`,
      ...renderSection(
        "Events",
        events.map(({ at, description }) => `${at}  ${description}`),
      ),
      ...renderSection("Agenda", tasks),
      ...renderSection("Faults, with applied and matching requests", rules),
      "",
    ].join("\n");
  });
}

const renderSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

function requestEvent(request: LoggedRequest): TimelineEvent {
  const { at, number, method, target, status, outcome, responseBody } = request;
  const [problem = ""] = (responseBody?.text ?? "").split("\n");
  const facts = [
    ...(outcome === "answered" ? [String(status)] : []),
    ...describeRequestNotes(request),
    ...(status !== null && status >= 400 ? [problem.slice(0, 300)] : []),
  ];
  return { at, description: `request ${number}: ${method} ${target} → ${facts.join(", ")}` };
}

function jobEvents({ id, state, createdAt, finishedAt, runCount, failure }: JobRow): TimelineEvent[] {
  const event = (at: number, text: string) => ({ at: formatTime(at), description: `job ${id}: ${text}` });
  const end = failure ? `${state} (${failure.code}: ${failure.detail})` : state;
  return [
    event(createdAt, "submitted"),
    finishedAt === null ? event(createdAt, state) : event(finishedAt, `${end}, run ${runCount}`),
  ];
}

function attemptEvents(
  store: Store,
  { id, seq, eventType, createdAt, status }: DeliveryRow,
): TimelineEvent[] {
  const event = (at: number, text: string) => ({
    at: formatTime(at),
    description: `delivery ${id} (${eventType}): ${text}`,
  });
  const attempts = listAttempts(store, seq).map(({ at, number, trigger, responseStatus, error }) => {
    const result = error ? `${error.code}: ${error.detail}` : responseStatus;
    return event(at, `attempt ${number}${trigger === "resend" ? ", a resend" : ""} → ${result}`);
  });
  return attempts.length > 0 ? attempts : [event(createdAt, status)];
}
