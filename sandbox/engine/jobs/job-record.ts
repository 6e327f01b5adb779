import type { Job } from "../../../src/contract/diligence.ts";
import { formatDay } from "../../../src/domain/entries/dates.ts";
import type { JobRow } from "../../store/jobs.ts";
import { formatOptionalTime, formatTime } from "../scheduler/clock.ts";

/** The job as the service shows it. */
export function toJob(job: JobRow): Job {
  return {
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
    startedAt: formatOptionalTime(job.startedAt),
    finishedAt: formatOptionalTime(job.finishedAt),
    progress: { ...job.progress },
    failure: job.failure,
  };
}
