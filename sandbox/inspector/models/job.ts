import { GRADES, ROUTES } from "../../../src/domain/diligence/classify.ts";
import type { DiligenceReport } from "../../../src/domain/diligence/report.ts";
import { notFoundError } from "../../../src/domain/errors.ts";
import type { JobModel } from "../../../src/pages/job.tsx";
import { type JobRows, ROW_KINDS } from "../../../src/pages/job-rows.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { listDueFor } from "../../library/describe-due.ts";
import {
  listAcceptedRows,
  listErrors,
  listRequestsOfJob,
  pageRejectedRows,
} from "../../library/list-jobs.ts";
import { findJob, type JobRow } from "../../store/jobs.ts";
import { readReport } from "../../store/reports.ts";
import { readChoice, readPlace } from "../query.ts";
import { foldPolls, toEvent } from "./timeline.ts";

const ROWS_PER_PAGE = 50;

const MAX_REQUESTS = 50;

export function readJob(engine: Engine, id: string, query: URLSearchParams): Promise<JobModel> {
  return engine.idle.whenSettled(() => {
    const job = findJob(engine.store, id);
    if (job) return toJobModel(engine, job, query);
    throw notFoundError("job_not_found", `no job ${id}`, { hint: "the page Jobs lists them" });
  });
}

export function toJobModel(engine: Engine, job: JobRow, query = new URLSearchParams()): JobModel {
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

function readRows(
  engine: Engine,
  job: JobRow,
  report: DiligenceReport | null,
  query: URLSearchParams,
): JobRows {
  const { entriesAccepted, entriesRejected } = toJob(job).progress;
  const counts = {
    accepted: entriesAccepted,
    rejected: entriesRejected,
    deferred: report?.totals.entriesDeferred ?? 0,
  };
  const after = readPlace(query, "after") ?? 0;
  const all = listErrors(report?.rejections ?? []);
  // The report has the reasons of the rejections.
  const isKnown = { rejected: all.length > 0, deferred: counts.deferred > 0, accepted: true };
  const kind = readChoice(query, "rows", ROW_KINDS) ?? ROW_KINDS.find((each) => isKnown[each]) ?? "accepted";
  const codes = [...new Set(all.map(({ code }) => code))].sort();
  if (kind === "rejected") {
    const code = readChoice(query, "code", codes);
    const { rows: rejected, next } = pageRejectedRows(all, { code, after }, ROWS_PER_PAGE);
    return { kind, counts, codes, accepted: [], rejected, after: next };
  }
  const filter = {
    deferred: kind === "deferred",
    route: readChoice(query, "route", ROUTES) ?? null,
    grade: readChoice(query, "grade", GRADES) ?? null,
    after,
  };
  const { rows, next } = listAcceptedRows(engine, job, filter, ROWS_PER_PAGE);
  return { kind, counts, codes, accepted: rows, rejected: [], after: next };
}
