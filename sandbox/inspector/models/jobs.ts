import { JOB_STATES } from "../../../src/domain/diligence/states.ts";
import { ENVIRONMENTS } from "../../../src/domain/environments.ts";
import type { JobsModel } from "../../../src/pages/jobs.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { JOBS, listLatestJobs } from "../../store/jobs.ts";
import { readClaimCents } from "../../store/reports.ts";
import { readChoice, readPlace, readSearch } from "../query.ts";

const PAGE_SIZE = 50;

/** The latest jobs of every partner. */
export function readJobs({ store }: Engine, query: URLSearchParams, limit = PAGE_SIZE): JobsModel {
  const filter = {
    state: readChoice(query, "state", JOB_STATES),
    environment: readChoice(query, "environment", ENVIRONMENTS),
  };
  const page = { before: readPlace(query, "before"), limit: limit + 1 };
  const found = listLatestJobs(store, filter, readSearch(query), page);
  const shown = found.slice(0, limit);
  return redactModel({
    jobs: shown.map((row) => ({
      job: toJob(row),
      claimCents: readClaimCents(store, row.seq, row.state === "completed"),
    })),
    counts: JOBS.countBy(store, "state"),
    before: found.length > limit ? (shown.at(-1)?.seq ?? null) : null,
  });
}
