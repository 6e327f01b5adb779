import type { ActivityLine } from "../../src/domain/activity/activity-line.ts";
import type { Engine } from "../engine/engine.ts";
import { findJob } from "../store/jobs.ts";
import { type Activity, describeActivity } from "./timeline.ts";

const FILTERS = {
  failed: (item: Activity) => activityTone(item) !== "success",
  writes: (item: Activity) => "method" in item && item.method !== "GET" && item.method !== "HEAD",
  webhooks: (item: Activity) => "deliveryId" in item || ("trace" in item && item.trace.events.length > 0),
  jobs: (item: Activity) =>
    "jobId" in item || ("trace" in item && (item.trace.operation ?? "").startsWith("diligence.")),
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
  const ids = "requestId" in item ? item.requestId : "jobId" in item ? item.jobId : item.deliveryId;
  return [`${result} ${verb} ${subject} ${label}`, ids, ...notes].some((part) =>
    part.toLowerCase().includes(text),
  );
}

/** The line of a run names its seller, not its id. */
export function describeForPeople(engine: Engine, item: Activity): ActivityLine {
  const line = describeActivity(engine, item);
  if (!("jobId" in item)) return line;
  const seller = findJob(engine.store, item.jobId)?.sellerName;
  return { ...line, result: line.subject, verb: "job", subject: `of ${seller || "a seller without a name"}` };
}

/** Without reading any body, because a picture has thousands of marks; `none` while a request is running. */
export function activityTone(item: Activity): ActivityLine["tone"] | "none" {
  if ("jobId" in item) {
    if (item.state === "failed") return "failure";
    return item.state === "partial" ? "refusal" : "success";
  }
  if ("deliveryId" in item) return item.error ? "failure" : "success";
  if (!item.result) return "none";
  const { isSent, status } = item.result;
  if (!isSent || status === null || status >= 500) return "failure";
  return status >= 400 ? "refusal" : "success";
}
