import { redactUrl } from "../../../src/domain/activity/describe-attempt.ts";
import { groupBy } from "../../../src/domain/group-by.ts";
import type {
  TimelineData,
  TimelineDelivery,
  TimelineJob,
  TimelineRequest,
} from "../../../src/pages/timeline/events.ts";
import {
  DEFAULT_LIMIT,
  type TimelineFilter,
  type TimelineModel,
} from "../../../src/pages/timeline/timeline.tsx";
import type { Engine } from "../../engine/engine.ts";
import { readResponseBody, summarizeRequest } from "../../engine/request-log/logged-request.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { type AttemptResult, listAttemptResults } from "../../store/attempts.ts";
import { type DeliveryRow, listLatestDeliveries } from "../../store/deliveries.ts";
import { ENDPOINTS } from "../../store/endpoints.ts";
import { JOBS, type JobRow } from "../../store/jobs.ts";
import type { Store } from "../../store/open.ts";

/** Of each kind, the latest. */
const MAX_ITEMS = 500;
const MAX_LIMIT = 5_000;

const KINDS: readonly string[] = ["request", "job", "delivery"] satisfies TimelineFilter["kind"][];

export async function readTimeline(engine: Engine, query: URLSearchParams): Promise<TimelineModel> {
  const data = await readTimelineData(engine);
  return redactModel({ ...data, clock: readClock(engine), filter: parseFilter(query) });
}

export const readClock = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.isFrozen });

function readTimelineData({ idle, requestLog, scheduler, store }: Engine): Promise<TimelineData> {
  return idle.whenSettled(() => {
    const deliveries = listLatestDeliveries(store, {}, MAX_ITEMS);
    const idsByEvent = groupBy(deliveries, ({ eventId }) => eventId);
    return {
      requests: requestLog.entries().map((request) => toTimelineRequest(request, idsByEvent)),
      jobs: JOBS.list(store, {}, { before: null, limit: MAX_ITEMS }).map(toTimelineJob),
      deliveries: toTimelineDeliveries(store, deliveries),
      agenda: scheduler.agenda(),
    };
  });
}

function parseFilter(query: URLSearchParams): TimelineFilter {
  const kind = query.get("kind") ?? "";
  const limit = Number(query.get("limit"));
  return {
    kind: (KINDS.includes(kind) ? kind : "") as TimelineFilter["kind"],
    result: (query.get("result") ?? "").trim(),
    text: (query.get("text") ?? "").trim(),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT,
  };
}

const toTimelineJob = ({ id, state, sellerName, runCount, failure, ...times }: JobRow): TimelineJob => ({
  ...{ id, state, sellerName, runCount, failure },
  createdAt: formatTime(times.createdAt),
  finishedAt: times.finishedAt === null ? null : formatTime(times.finishedAt),
});

/** Only the bodies that a line needs are read: the reason of a refusal, and the job of a submission. */
function toTimelineRequest(
  recorded: RecordedRequest,
  deliveriesByEvent: ReadonlyMap<string, readonly DeliveryRow[]>,
): TimelineRequest {
  const summary = summarizeRequest(recorded);
  const isRefused = (summary.status ?? 0) >= 400 && summary.fault === null;
  return {
    ...summary,
    responseBody: isRefused || summary.operation === "diligence.submit" ? readResponseBody(recorded) : null,
    deliveryIds: recorded.notes.events.flatMap((event) =>
      (deliveriesByEvent.get(event) ?? []).map(({ id }) => id),
    ),
  };
}

/** One query for all attempts: one for each delivery takes twenty times as long. */
function toTimelineDeliveries(store: Store, rows: readonly DeliveryRow[]): TimelineDelivery[] {
  const first = rows.at(-1);
  if (!first) return [];
  const attempts = groupBy(listAttemptResults(store, first.seq), ({ delivery }) => delivery);
  const endpoints = groupBy(ENDPOINTS.select(store, ""), ({ id }) => id);
  return rows.map(({ createdAt, endpointId, eventType, id, nextAttemptAt, seq, status }) => ({
    ...{ eventType, id, status },
    url: endpoints.get(endpointId)?.map((endpoint) => redactUrl(endpoint.url))[0] ?? "",
    createdAt: formatTime(createdAt),
    nextAttemptAt: nextAttemptAt === null ? null : formatTime(nextAttemptAt),
    attempts: (attempts.get(seq) ?? []).map(toTimelineAttempt),
  }));
}

const toTimelineAttempt = ({ delivery: _, at, ...attempt }: AttemptResult) => ({
  ...attempt,
  at: formatTime(at),
});
