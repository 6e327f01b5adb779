import type { Caller } from "../store/credentials.ts";
import { findOwnedJob, type JobRow } from "../store/jobs.ts";
import type { Store } from "../store/open.ts";
import { type Place, recordNotFound } from "./record-not-found.ts";

/** The caller's job that a request names, in its path where no other place is given. */
export function requireJob(store: Store, caller: Caller, id: string, place?: Place): JobRow {
  const job = findOwnedJob(store, caller, id);
  if (job) return job;
  throw recordNotFound(caller, { code: "job_not_found", what: "job", id, place });
}
