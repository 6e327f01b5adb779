import type { Job } from "../../../src/contract/operations/diligence.ts";
import { formatDay } from "../../../src/domain/entries/dates.ts";
import type { JobRow } from "../../store/jobs.ts";
import { formatTime } from "../scheduler/clock.ts";

/** The store gives the same row until the next write, and clients poll. */
const cache = new WeakMap<JobRow, Job>();

export function toJob(row: JobRow): Job {
  const job = cache.get(row) ?? formatJob(row);
  cache.set(row, job);
  return job;
}

/** Field by field, unlike other records: a generic copy takes several times as long. */
const formatJob = (job: JobRow): Job => ({
  jobId: job.id,
  state: job.state,
  environment: job.environment,
  sellerName: job.sellerName,
  requiresProtestDocumentation: job.requiresProtestDocumentation,
  fileName: job.fileName,
  fileBytes: job.fileBytes,
  asOf: formatDay(job.asOf),
  runCount: job.runCount,
  createdAt: formatTime(job.createdAt),
  startedAt: job.startedAt === null ? null : formatTime(job.startedAt),
  finishedAt: job.finishedAt === null ? null : formatTime(job.finishedAt),
  progress: {
    rowsTotal: job.rowsTotal,
    rowsProcessed: job.rowsProcessed,
    entriesAccepted: job.entriesAccepted,
    entriesRejected: job.entriesRejected,
  },
  failure: job.failure,
});
