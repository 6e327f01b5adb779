import { JOB_STATES } from "../../../src/domain/diligence/states.ts";
import { ENVIRONMENTS } from "../../../src/domain/environments.ts";
import type { JobsModel } from "../../../src/pages/jobs.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { listJobs } from "../../library/list-jobs.ts";
import { JOBS } from "../../store/jobs.ts";
import { readChoice, readPlace, readSearch } from "../query.ts";

const PAGE_SIZE = 50;

export const readJobs = (engine: Engine, query: URLSearchParams, limit = PAGE_SIZE): Promise<JobsModel> =>
  engine.idle.whenSettled(() => {
    const filter = {
      state: readChoice(query, "state", JOB_STATES),
      environment: readChoice(query, "environment", ENVIRONMENTS),
    };
    const page = { before: readPlace(query, "before"), limit: limit + 1 };
    const found = listJobs(engine, filter, readSearch(query), page);
    const jobs = found.slice(0, limit);
    return redactModel({
      jobs: jobs.map(({ job, claimCents }) => ({ job, claimCents })),
      counts: JOBS.countBy(engine.store, "state"),
      before: found.length > limit ? (jobs.at(-1)?.seq ?? null) : null,
    });
  });
