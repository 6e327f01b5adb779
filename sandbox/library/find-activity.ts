import type { ActivityLine } from "../../src/contract/activity/activity-line.ts";
import { jobTone } from "../../src/contract/activity/describe-event.ts";
import type { Engine } from "../engine/engine.ts";
import type { Activity } from "../engine/recent-activity.ts";
import { JOBS } from "../store/jobs.ts";
import { describeActivity } from "./timeline.ts";

const FILTERS = {
  failed: (item: Activity) => activityTone(item) !== "success",
  writes: (item: Activity) => item.kind === "request" && item.method !== "GET" && item.method !== "HEAD",
  webhooks: (item: Activity) =>
    item.kind === "attempt" || (item.kind === "request" && item.trace.events.length > 0),
  jobs: (item: Activity) =>
    item.kind === "job" ||
    (item.kind === "request" && item.trace.operation?.startsWith("diligence.") === true),
} as const;

export const ACTIVITY_FILTERS = Object.keys(FILTERS) as readonly (keyof typeof FILTERS)[];

/** @param text in the path, an id or the reason, whatever the case; empty for all */
export function findActivity(
  engine: Engine,
  activity: readonly Activity[],
  filter: keyof typeof FILTERS | undefined,
  text: string,
): readonly Activity[] {
  const found = filter === undefined ? activity : activity.filter(FILTERS[filter]);
  const lower = text.toLowerCase();
  return lower === "" ? found : found.filter((item) => hasText(engine, item, lower));
}

function hasText(engine: Engine, item: Activity, text: string): boolean {
  const { verb, result, subject, label, notes } = describeForPeople(engine, item);
  return [`${result} ${verb} ${subject} ${label}`, idOf(item), ...notes].some((part) =>
    part.toLowerCase().includes(text),
  );
}

function idOf(item: Activity): string {
  if (item.kind === "request") return item.requestId;
  return item.kind === "job" ? item.jobId : item.deliveryId;
}

/** The line of a run names its seller, not its id. */
export function describeForPeople(engine: Engine, item: Activity): ActivityLine {
  const line = describeActivity(engine, item);
  if (item.kind !== "job") return line;
  const seller = JOBS.find(engine.store, { id: item.jobId })?.sellerName;
  return { ...line, result: line.subject, verb: "job", subject: `of ${seller || "a seller without a name"}` };
}

/** Without reading any body, because a picture has thousands of marks; `none` while a request is running. */
export function activityTone(item: Activity): ActivityLine["tone"] | "none" {
  if (item.kind === "job") return jobTone(item.state);
  if (item.kind === "attempt") return item.error ? "failure" : "success";
  if (!item.result) return "none";
  const { isSent, status } = item.result;
  if (!isSent || status === null || status >= 500) return "failure";
  return status >= 400 ? "refusal" : "success";
}
