import type { ActivityLine } from "../../../src/domain/activity/activity-line.ts";
import { JOB_TONES } from "../../../src/pages/jobs.tsx";
import type { Lane, Mark } from "../../../src/pages/lanes.ts";
import { SHOWN, type TimelineEvent, type TimelineModel } from "../../../src/pages/timeline.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel, redactText } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { activityTone, describeForPeople, findActivity } from "../../library/find-activity.ts";
import { readClock } from "../../library/read-state.ts";
import { type Activity, listActivity } from "../../library/timeline.ts";
import { JOBS } from "../../store/jobs.ts";
import { isFolded, readChoice, readSearch } from "../query.ts";
import { listDue } from "./due.ts";

const LATEST_JOBS = { before: null, limit: 100 };

const MAX_DUE = 24;

/** @param limit the latest events */
export function readTimeline(engine: Engine, limit: number, query: URLSearchParams): TimelineModel {
  const activity = listActivity(engine);
  const show = readChoice(query, "show", SHOWN);
  const text = readSearch(query);
  const shown = findActivity(engine, activity, show, text);
  const events = shown.slice(-limit).map((item) => toEvent(engine, item));
  const { tasks: due, count: dueCount } = listDue(engine, MAX_DUE);
  const model = redactModel({
    clock: readClock(engine),
    events: isFolded(query) ? foldPolls(events) : events,
    eventCount: shown.length,
    isFiltered: show !== undefined || text !== "",
    due,
    dueCount,
  });
  return { ...model, lanes: toLanes(engine, activity) };
}

export function toEvent(engine: Engine, item: Activity): TimelineEvent {
  return { line: describeForPeople(engine, item), subject: subjectOf(item) };
}

function subjectOf(item: Activity): TimelineEvent["subject"] {
  if ("jobId" in item) return { kind: "job", id: item.jobId };
  if ("deliveryId" in item) return { kind: "delivery", id: item.deliveryId };
  return { kind: "request", id: String(item.number) };
}

/** Equal polls in a row are one line: that of the latest. */
export function foldPolls(events: readonly TimelineEvent[]): TimelineEvent[] {
  const folded: TimelineEvent[] = [];
  let firstAt = 0;
  for (const event of events) {
    const last = folded.at(-1);
    const at = Date.parse(event.line.at);
    if (last && isSamePoll(last.line, event.line)) {
      const repeats = { count: (last.repeats?.count ?? 1) + 1, ms: at - firstAt };
      folded[folded.length - 1] = { ...event, repeats };
    } else {
      firstAt = at;
      folded.push(event);
    }
  }
  return folded;
}

const isSamePoll = (one: ActivityLine, other: ActivityLine): boolean =>
  other.verb === "GET" &&
  one.verb === other.verb &&
  one.subject === other.subject &&
  one.result === other.result &&
  one.notes.join() === other.notes.join();

/** Only the titles have what others chose: to redact whole models of a thousand marks would take longer than the page. */
function toLanes({ clock, store }: Engine, activity: readonly Activity[]): Lane[] {
  const requests = activity.filter((item) => "method" in item);
  const attempts = activity.filter((item) => "deliveryId" in item);
  const jobs = JOBS.list(store, {}, LATEST_JOBS).reverse();
  return [
    { name: "requests", marks: requests.map(toRequestMark) },
    {
      name: "jobs",
      marks: jobs.map(({ id, createdAt, finishedAt, sellerName, state }) => ({
        at: createdAt,
        until: finishedAt ?? clock.now(),
        tone: JOB_TONES[state] ?? "due",
        title: redactText(`job of ${sellerName}: ${state}`),
        subject: { kind: "job", id },
      })),
    },
    {
      name: "deliveries",
      marks: attempts.map((item) => ({
        at: item.at,
        tone: TONES[activityTone(item)],
        subject: subjectOf(item),
        title: redactText(
          `${item.eventType}, attempt ${item.number}: ${item.responseStatus ?? item.error?.code}`,
        ),
      })),
    },
    { name: "faults", marks: requests.filter(({ trace }) => trace.fault !== null).map(toRequestMark) },
  ];
}

const TONES = { success: "ok", refusal: "warn", failure: "bad", none: "due" } as const;

const toRequestMark = (item: RecordedRequest): Mark => ({
  at: item.at,
  tone: TONES[activityTone(item)],
  subject: subjectOf(item),
  title: redactText(
    `#${item.number} ${item.method} ${item.target.split("?")[0]}: ${item.result?.status ?? "–"}`,
  ),
});
