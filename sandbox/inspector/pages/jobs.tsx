import type { VNode } from "preact";
import { JOB_STATES } from "../../../src/domain/diligence/states.ts";
import { ENVIRONMENTS } from "../../../src/domain/environments.ts";
import { formatDollars, formatThousands } from "../../../src/domain/numbers.ts";
import { formatDuration } from "../../../src/domain/times.ts";
import { Chips, NextPage, Search } from "../../../src/pages/filters.tsx";
import { Badge, Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { JOBS } from "../../store/jobs.ts";
import { readClaimCents } from "../../store/reports.ts";
import { readChoice, readPlace, readSearch } from "../query.ts";

const PAGE_SIZE = 50;

export const JOB_TONES = {
  queued: "due",
  processing: "due",
  completed: "ok",
  partial: "warn",
  failed: "bad",
} as const;

/** The latest jobs of every partner. */
export function renderJobsPage({ store }: Engine, query: URLSearchParams, limit = PAGE_SIZE): VNode {
  const filter = {
    state: readChoice(query, "state", JOB_STATES),
    environment: readChoice(query, "environment", ENVIRONMENTS),
  };
  const page = { before: readPlace(query, "before"), limit };
  const { rows, hasMore } = JOBS.page(store, filter, page, {
    text: readSearch(query),
    fields: ["sellerName", "fileName", "id"],
  });
  const counts = JOBS.countBy(store, "state");
  const jobs = rows.map((row) => {
    const claimCents = readClaimCents(store, row.seq, row.state === "completed");
    return { ...redactModel(toJob(row)), claimCents };
  });
  return (
    <>
      <h1>Jobs</h1>
      <div class="filters">
        <Chips label="State" name="state" all="All" values={JOB_STATES} counts={counts} />
        <Chips label="Environment" name="environment" all="Both environments" values={ENVIRONMENTS} />
        <Search label="Seller, file or id" />
      </div>
      <Section live="jobs">
        <Table
          label="Jobs"
          emptyMessage="There is no such job. claims diligence submit sends a file."
          columns={["State", "Seller", "File", "Entries", "Claim", "Submitted", "Took"]}
          kinds={{ Seller: "names", File: "names", Entries: "number", Claim: "number", Took: "number" }}
          rows={jobs.map((job) => [
            <Badge tone={JOB_TONES[job.state]}>{job.state}</Badge>,
            <SubjectLink subject={{ kind: "job", id: job.jobId }}>
              {job.sellerName || "not given"}
            </SubjectLink>,
            <>
              {job.fileName ?? "unnamed"} {job.environment === "production" && <small>production</small>}
            </>,
            formatThousands(job.progress.entriesAccepted + job.progress.entriesRejected),
            job.claimCents === null ? "–" : formatDollars(job.claimCents),
            <Time at={job.createdAt} />,
            job.finishedAt === null
              ? "–"
              : formatDuration(Date.parse(job.finishedAt) - Date.parse(job.createdAt)),
          ])}
        />
      </Section>
      <NextPage name="before" value={hasMore ? (rows.at(-1)?.seq ?? null) : null} text="Older jobs" />
    </>
  );
}
