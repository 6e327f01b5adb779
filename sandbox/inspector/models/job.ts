import type { DiligenceReport } from "../../../src/domain/diligence/assessment.ts";
import type { JobModel } from "../../../src/pages/job.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import type { JobRow } from "../../store/jobs.ts";
import { readReport } from "../../store/reports.ts";
import { listDueFor } from "./due.ts";
import { readRows } from "./job-rows.ts";
import { foldPolls, toEvent } from "./timeline.ts";

const MAX_REQUESTS = 50;

export function readJob(engine: Engine, job: JobRow, query = new URLSearchParams()): JobModel {
  const { id, seq, state } = job;
  const report =
    state === "completed" || state === "partial"
      ? (JSON.parse(readReport(engine.store, seq, state === "completed")) as DiligenceReport)
      : null;
  const requests = listRequestsOfJob(engine, id).map((request) => toEvent(engine, request));
  return redactModel({
    job: toJob(job),
    // The rows have them, page by page.
    report: report && { ...report, rejections: [] },
    rows: readRows(engine, job, report, query),
    due: listDueFor(engine, id),
    requests: foldPolls(requests).slice(0, MAX_REQUESTS),
  });
}

/** The requests in the log that made a job or were about it, the newest last. */
const listRequestsOfJob = ({ requestLog }: Engine, jobId: string): RecordedRequest[] =>
  requestLog
    .entries()
    .filter(
      ({ trace, result, target }) =>
        target.includes(jobId) ||
        (trace.operation === "diligence.submit" && readBody(result?.body ?? null).includes(jobId)),
    );

const readBody = (body: NonNullable<RecordedRequest["result"]>["body"]): string =>
  typeof body === "string" ? body : (body?.bytes().toString() ?? "");
