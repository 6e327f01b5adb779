import type { Job } from "../contract/operations/diligence.ts";
import { JOB_STATES } from "../domain/diligence/states.ts";
import { ENVIRONMENTS } from "../domain/environments.ts";
import { formatDollars, formatThousands } from "../domain/numbers.ts";
import { formatDuration } from "../domain/times.ts";
import { Chips, NextPage, Search } from "./filters.tsx";
import { Badge, Section, SubjectLink, Table, Time, type Tone } from "./parts.tsx";

export interface JobsModel {
  readonly jobs: readonly { readonly job: Job; readonly claimCents: number | null }[];
  /** How many jobs there are, by their state. */
  readonly counts: Readonly<Record<string, number>>;
  /** Where the list continues; null at its end. */
  readonly before: number | null;
}

export const JOB_TONES: Readonly<Record<string, Tone>> = {
  completed: "ok",
  partial: "warn",
  failed: "bad",
};

export const Jobs = ({ jobs, counts, before }: JobsModel) => (
  <>
    <h1>Jobs</h1>
    <div class="filters">
      <Chips label="State" name="state" all="All" values={JOB_STATES} counts={counts} />
      <Chips label="Environment" name="environment" all="Both environments" values={ENVIRONMENTS} />
      <Search label="Seller, file or id" />
    </div>
    <Section live="jobs">
      <JobTable jobs={jobs} />
    </Section>
    <NextPage name="before" value={before} text="Older jobs" />
  </>
);

const JobTable = ({ jobs }: Pick<JobsModel, "jobs">) => (
  <Table
    label="Jobs"
    emptyMessage="There is no such job. claims diligence submit sends a file."
    columns={[
      "State",
      { name: "Seller", class: "names" },
      { name: "File", class: "names" },
      { name: "Entries", class: "number" },
      { name: "Claim", class: "number" },
      "Submitted",
      { name: "Took", class: "number" },
    ]}
    rows={jobs.map(({ job, claimCents }) => ({
      key: job.jobId,
      cells: [
        <Badge tone={JOB_TONES[job.state] ?? "due"}>{job.state}</Badge>,
        <SubjectLink subject={{ kind: "job", id: job.jobId }}>{job.sellerName || "not given"}</SubjectLink>,
        <>
          {job.fileName ?? "unnamed"} {job.environment === "production" && <small>production</small>}
        </>,
        formatThousands(job.progress.entriesAccepted + job.progress.entriesRejected),
        claimCents === null ? "–" : formatDollars(claimCents),
        <Time at={job.createdAt} isFull />,
        job.finishedAt === null
          ? "–"
          : formatDuration(Date.parse(job.finishedAt) - Date.parse(job.createdAt)),
      ],
    }))}
  />
);
