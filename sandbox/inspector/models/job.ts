import type { DiligenceReport } from "../../../src/domain/diligence/report.ts";
import { notFoundError } from "../../../src/domain/errors.ts";
import type { JobModel } from "../../../src/pages/job.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { findJob, type JobRow } from "../../store/jobs.ts";
import { readReport } from "../../store/reports.ts";
import type { Store } from "../../store/store.ts";

export function readJob(engine: Engine, id: string): Promise<JobModel> {
  return engine.idle.whenSettled(() => {
    const job = findJob(engine.store, id);
    if (job) return toJobModel(engine.store, job);
    throw notFoundError("job_not_found", `no job ${id}`, { hint: "the timeline lists the jobs" });
  });
}

export function toJobModel(store: Store, job: JobRow): JobModel {
  const { seq, state } = job;
  const report =
    state === "completed" || state === "partial"
      ? (JSON.parse(readReport(store, seq, state === "completed")) as DiligenceReport)
      : null;
  return redactModel({
    job: toJob(job),
    report,
  });
}
