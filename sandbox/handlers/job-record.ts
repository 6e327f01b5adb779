import type { Job } from "../../src/contract/diligence.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { formatDay } from "../../src/domain/entries/dates.ts";
import { formatTime } from "../engine/clock.ts";
import type { JobRow } from "../store/jobs.ts";
import { optionalTime } from "./optional-time.ts";

/** The job as the service shows it. */
export function jobRecord(job: JobRow): Job {
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
    startedAt: optionalTime(job.startedAt),
    finishedAt: optionalTime(job.finishedAt),
    progress: { ...job.progress },
    failure: job.failure,
  };
}

/** On the surface that the request used: X-API-Key works on the compatibility paths only (interface §5.2). */
export function statusPath(jobId: string, legacy: boolean): string {
  const { path, legacyPath } = OPERATIONS.diligence.status;
  return (legacy ? legacyPath : path).replace("{jobId}", jobId);
}
