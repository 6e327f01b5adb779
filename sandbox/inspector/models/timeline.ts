import { redactUrl } from "../../../src/domain/activity/describe-attempt.ts";
import type { TimelineEvent, TimelineModel } from "../../../src/pages/timeline.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { readClock } from "../../library/read-state.ts";
import { type Activity, describeActivity, describeTask, listActivity } from "../../library/timeline.ts";
import { DELIVERIES } from "../../store/deliveries.ts";
import { JOBS } from "../../store/jobs.ts";

/** Of each kind, the latest of a restored state. */
const MAX_RESTORED = { before: null, limit: 100 };

/** @param limit the latest events */
export const readTimeline = (engine: Engine, limit: number): Promise<TimelineModel> =>
  engine.idle.whenSettled(() => {
    const activity = listActivity(engine);
    const restored = listRestored(engine, activity);
    const latest = activity.slice(-limit).map((item) => ({
      line: describeActivity(engine, item),
      subject: subjectOf(item),
    }));
    return redactModel({
      clock: readClock(engine),
      events: [...restored, ...latest].slice(-limit),
      eventCount: restored.length + activity.length,
      due: engine.scheduler.agenda().map((task) => ({
        at: task.dueAt,
        text: describeTask(engine, task),
        subject: subjectOfTask(engine, task.subject),
      })),
    });
  });

function subjectOf(item: Activity): TimelineEvent["subject"] {
  if ("jobId" in item) return { kind: "job", id: item.jobId };
  if ("deliveryId" in item) return { kind: "delivery", id: item.deliveryId };
  return { kind: "request", id: String(item.number) };
}

function subjectOfTask({ store }: Engine, id: string): TimelineEvent["subject"] {
  if (JOBS.find(store, { id })) return { kind: "job", id };
  return DELIVERIES.find(store, { id }) ? { kind: "delivery", id } : null;
}

/** The ended jobs and the deliveries that this process has not seen, a line each: a restored state has no request log. */
function listRestored({ store, webhooks }: Engine, activity: readonly Activity[]): TimelineEvent[] {
  const seen = new Set(activity.map((item) => subjectOf(item)?.id));
  const line = { tone: "success", verb: "", durationMs: null, label: "restored" } as const;
  const ended = JOBS.list(store, {}, MAX_RESTORED).filter(({ finishedAt }) => finishedAt !== null);
  const jobs = ended.map(
    ({ id, createdAt, state, sellerName }): TimelineEvent => ({
      line: { ...line, at: formatTime(createdAt), result: "job", subject: sellerName, notes: [state] },
      subject: { kind: "job", id },
    }),
  );
  const attempted = DELIVERIES.list(store, {}, MAX_RESTORED).filter(({ attemptCount }) => attemptCount > 0);
  const deliveries = attempted.map((delivery): TimelineEvent => {
    const { id, createdAt, endpointId, eventType, status } = delivery;
    const subject = `${eventType} to ${redactUrl(webhooks.endpoint(endpointId).url)}`;
    return {
      line: { ...line, at: formatTime(createdAt), result: "event", subject, notes: [status] },
      subject: { kind: "delivery", id },
    };
  });
  return [...jobs, ...deliveries]
    .filter(({ subject }) => !seen.has(subject?.id))
    .sort((one, other) => (one.line.at < other.line.at ? -1 : 1));
}
