import { canResume } from "../../src/domain/diligence/states.ts";
import type { Engine } from "../engine/engine.ts";
import { toJob } from "../engine/jobs/job-record.ts";
import type { Caller } from "../store/credentials.ts";
import type { JobRow } from "../store/jobs.ts";
import { readReport } from "../store/reports.ts";
import { problemError } from "../wire/problem-error.ts";
import { DATASET_TYPES, readDatasetPages, renderDatasetCsv } from "./dataset.ts";
import type { HandlersOf } from "./handler.ts";
import { requireJob } from "./require-job.ts";
import { statusPath } from "./status-path.ts";
import { readSubmission } from "./submission.ts";

/** Seconds (product.md §5). */
const POLL_AFTER_SECONDS = "1";

export const diligence = {
  submit({ caller, body, legacy }, { jobs }) {
    return acceptedResponse(jobs.submit(caller, readSubmission(body)), legacy);
  },

  status({ caller, params }, engine) {
    return engine.idle.whenSubjectIdle(
      () => ({ json: toJob(requireJob(engine.store, caller, params.jobId)) }),
      params.jobId,
    );
  },

  report({ caller, params }, engine) {
    return engine.idle.whenSubjectIdle(() => {
      const job = requireEndedJob(engine, caller, params.jobId);
      const document = readReport(engine.store, job.seq, job.state === "completed");
      const head = JSON.stringify({ jobId: job.id, contractVersion: engine.contractVersion() });
      return { text: `${head.slice(0, -1)},${document.slice(1)}` };
    }, params.jobId);
  },

  dataset({ caller, params, accepts }, engine) {
    return engine.idle.whenSubjectIdle(() => {
      const job = requireEndedJob(engine, caller, params.jobId);
      const type = accepts(DATASET_TYPES);
      if (type === null)
        throw problemError("not_acceptable", `The dataset comes as ${DATASET_TYPES.join(", ")}.`);
      const contractVersion = engine.contractVersion();
      const headers = { "Contract-Version": contractVersion, Vary: "Accept" };
      const pages = readDatasetPages(engine, job);
      if (type === "text/csv") return { stream: renderDatasetCsv(pages), type, headers };
      return { list: { head: { jobId: job.id, contractVersion }, name: "rows", pages, type }, headers };
    }, params.jobId);
  },

  resume({ caller, params, legacy }, engine) {
    return engine.idle.whenSubjectIdle(() => {
      const job = requireJob(engine.store, caller, params.jobId);
      if (!canResume(job.state)) {
        throw problemError(
          "job_not_resumable",
          `The job is ${job.state}; only a partial or failed job can be resumed.`,
        );
      }
      return acceptedResponse(engine.jobs.resume(job.id), legacy);
    }, params.jobId);
  },
} satisfies HandlersOf<"diligence">;

/** 202 means queued, not complete (interface §3). */
function acceptedResponse(job: JobRow, legacy: boolean) {
  const headers = { Location: statusPath(job.id, legacy), "Retry-After": POLL_AFTER_SECONDS };
  return { json: toJob(job), headers };
}

function requireEndedJob(engine: Engine, caller: Caller, id: string): JobRow {
  const job = requireJob(engine.store, caller, id);
  if (job.state === "failed") {
    const reason = job.failure ? ` (${job.failure.code})` : "";
    throw problemError("job_failed", `The job failed${reason}; its status says why. Nothing was computed.`);
  }
  if (job.state !== "completed" && job.state !== "partial") {
    throw problemError(
      "report_not_ready",
      `The job is ${job.state}. Ask again when its state is completed or partial.`,
      {
        headers: { "Retry-After": POLL_AFTER_SECONDS },
      },
    );
  }
  return job;
}
