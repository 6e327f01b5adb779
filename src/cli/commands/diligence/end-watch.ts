import { categorizeState, JOB_STATES } from "../../../domain/diligence/states.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Service } from "../../connection/service.ts";
import { fetchJob, fetchReport, type JobView } from "./job.ts";

/**
 * Polls a job whose state may have any word at any place. A documented word at the one place that changed between polls ends
 * it; a report with `rf8Review` proves that it has ended once its state has not changed for three polls (product.md §10, *The
 * end of a job*).
 */
export function createEndWatch(service: Service, id: string): () => Promise<JobView> {
  const records: unknown[] = [];
  let last = "";
  let count = 0;
  return async () => {
    const job = await fetchJob(service, id);
    const { state } = job.seen;
    if ((JOB_STATES as readonly string[]).includes(state) || categorizeState(state) !== "pending") return job;
    records.push(job.record);
    count = state === last ? count + 1 : 1;
    last = state;
    const { findState, POLLS_OF_AN_END } = await import(
      "../../../contract/service-form/learn/learn-states.ts"
    );
    const found = state === "unknown" ? findState(records) : state;
    const category = categorizeState(found ?? "");
    const isEnd = category === "partial" || category === "failed";
    if (!isEnd && (count % POLLS_OF_AN_END > 0 || !(await hasReport(service, id)))) return job;
    if (found === null) return { ...job, seen: { ...job.seen, ended: "unknown" } };
    const ended = category === "pending" ? "completed" : category;
    return { ...job, seen: { ...job.seen, state: found, ended } };
  };
}

/** Before the end, a service refuses the report in its own way. */
async function hasReport(service: Service, id: string): Promise<boolean> {
  try {
    return hasReview((await fetchReport(service, id)).record, 0);
  } catch (error) {
    const { status = 0, kind = null } = error instanceof ClaimsError ? error : {};
    if (status >= 400 && status < 500 && status !== 429 && kind !== "credential") return false;
    throw error;
  }
}

/** The name is documented, and its depth is not. */
const hasReview = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  depth < 20 &&
  ("rf8Review" in value || Object.values(value).some((inner) => hasReview(inner, depth + 1)));
