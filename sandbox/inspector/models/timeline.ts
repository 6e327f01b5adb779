import type { TimelineData, TimelineDelivery, TimelineJob } from "../../../src/pages/timeline/events.ts";
import {
  DEFAULT_LIMIT,
  type TimelineFilter,
  type TimelineModel,
} from "../../../src/pages/timeline/timeline.tsx";
import type { Engine } from "../../engine/engine.ts";
import { readLoggedRequests } from "../../engine/requests-api.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { toDeliveryDetails } from "../../engine/webhooks/records.ts";
import { type DeliveryRow, listLatestDeliveries } from "../../store/deliveries.ts";
import { ENDPOINTS } from "../../store/endpoints.ts";
import { JOBS, type JobRow } from "../../store/jobs.ts";

/** Of each kind, the latest. */
const MAX_ITEMS = 500;
const MAX_LIMIT = 5_000;

const KINDS: readonly string[] = ["request", "job", "delivery"] satisfies TimelineFilter["kind"][];

export async function readTimeline(engine: Engine, query: URLSearchParams): Promise<TimelineModel> {
  return { ...(await readTimelineData(engine)), clock: readClock(engine), filter: parseFilter(query) };
}

export const readClock = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.isFrozen });

function readTimelineData(engine: Engine): Promise<TimelineData> {
  const { idle, scheduler, store } = engine;
  return idle.whenSettled(() => ({
    requests: readLoggedRequests(engine),
    jobs: JOBS.list(store, {}, { before: null, limit: MAX_ITEMS }).map(toTimelineJob),
    deliveries: listLatestDeliveries(store, {}, MAX_ITEMS).map((row) => toTimelineDelivery(engine, row)),
    agenda: scheduler.agenda(),
  }));
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

const toTimelineJob = ({
  id,
  state,
  sellerName,
  createdAt,
  finishedAt,
  runCount,
  failure,
}: JobRow): TimelineJob => ({
  ...{ id, state, sellerName, runCount, failure },
  createdAt: formatTime(createdAt),
  finishedAt: finishedAt === null ? null : formatTime(finishedAt),
});

function toTimelineDelivery({ store }: Engine, row: DeliveryRow): TimelineDelivery {
  const { url } = ENDPOINTS.get(store, { id: row.endpointId });
  const { attempts, createdAt, eventType, id, nextAttemptAt, status } = toDeliveryDetails(store, row, url);
  return { attempts, createdAt, eventType, id, nextAttemptAt, status, url };
}
