import { createClassifier } from "../../../src/domain/diligence/entry-classifier.ts";
import type { DiligenceReport } from "../../../src/domain/diligence/report.ts";
import { formatOptionalDay } from "../../../src/domain/entries/dates.ts";
import { notFoundError } from "../../../src/domain/errors.ts";
import type { JobModel } from "../../../src/pages/job.tsx";
import type { Deadline } from "../../../src/pages/report.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { readEntryPages } from "../../store/entry-pages.ts";
import { findJob, type JobRow } from "../../store/jobs.ts";
import type { Store } from "../../store/open.ts";
import { readReport } from "../../store/reports.ts";

/** Entries to look through: a page must not keep the sandbox busy. */
const MAX_ENTRIES = 50_000;

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
    result: report && { report, deadlines: listDeadlines(store, job) },
  });
}

function listDeadlines(store: Store, job: JobRow): Deadline[] | null {
  const classify = createClassifier(job.asOf);
  const byDate = new Map<string, { entries: number; ieepaDutyCents: number }>();
  let count = 0;
  for (const entries of readEntryPages(store, job.seq, { includeDeferred: job.state === "completed" })) {
    count += entries.length;
    if (count > MAX_ENTRIES) return null;
    for (const entry of entries) {
      const date = formatOptionalDay(classify(entry).nextDeadline);
      if (date === null) continue;
      const sum = byDate.get(date) ?? { entries: 0, ieepaDutyCents: 0 };
      byDate.set(date, {
        entries: sum.entries + 1,
        ieepaDutyCents: sum.ieepaDutyCents + entry.ieepaDutyCents,
      });
    }
  }
  return [...byDate]
    .map(([date, sums]) => ({ date, ...sums }))
    .sort((one, other) => (one.date < other.date ? -1 : 1));
}
