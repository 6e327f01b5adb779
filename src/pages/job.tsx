import type { Job as JobRecord } from "../contract/operations/diligence.ts";
import type { DiligenceReport } from "../domain/diligence/assessment.ts";
import { formatThousands } from "../domain/numbers.ts";
import { type JobRows, Rows } from "./job-rows.tsx";
import { JOB_TONES } from "./jobs.tsx";
import type { Lane } from "./lanes.ts";
import { ActionForm, Badge, Button, Facts, Section, Time, type Tone } from "./parts.tsx";
import { TimePicture } from "./pictures.tsx";
import { Report } from "./report.tsx";
import { useSite } from "./site.ts";
import { type DueTask, EventLine, type TimelineEvent } from "./timeline.tsx";

export interface JobModel {
  readonly job: JobRecord;
  readonly report: DiligenceReport | null;
  readonly rows: JobRows;
  readonly due: readonly DueTask[];
  /** That made the job or were about it, the first one first. */
  readonly requests: readonly TimelineEvent[];
}

export function Job({ job, report, rows, due, requests }: JobModel) {
  const { now } = useSite();
  const { failure, jobId, sellerName, state } = job;
  const isRunning = state === "queued" || state === "processing";
  return (
    <>
      <div data-live="head">
        <h1>
          Job of {sellerName || "a seller without a name"}{" "}
          <Badge tone={JOB_TONES[state] ?? "due"}>{state}</Badge>
        </h1>
        {failure && (
          <p class="message failure">
            {failure.code}: {failure.detail}
          </p>
        )}
      </div>
      {(state === "partial" || state === "failed") && (
        <ActionForm path={`/jobs/${jobId}/resume`} label="Resume">
          <Button>Resume the job</Button>
        </ActionForm>
      )}
      <section class="card" data-live="time">
        <TimePicture label="The job in time" lanes={toLanes(job, now)} now={now} due={due} />
        {isRunning && <Progress job={job} due={due} />}
      </section>
      <div data-live="facts">
        <Facts facts={factsOf(job)} />
      </div>
      <div data-live="report">{report && <Report report={report} />}</div>
      <Rows rows={rows} />
      <Section title="Its requests" live="requests">
        {requests.length === 0 && <p class="note">None is in the request log.</p>}
        <ol class="events">
          {requests.map((event) => (
            <EventLine key={event.line.label} event={event} />
          ))}
        </ol>
      </Section>
    </>
  );
}

function toLanes({ createdAt, startedAt, finishedAt, state }: JobRecord, now: string): Lane[] {
  const end = finishedAt ?? now;
  const mark = (from: string, until: string, tone: Tone, title: string) => ({
    at: Date.parse(from),
    until: Date.parse(until),
    tone,
    title,
    subject: null,
  });
  const tone: Tone = JOB_TONES[state] ?? "due";
  return [
    { name: "queued", marks: [mark(createdAt, startedAt ?? end, "due", `queued at ${createdAt}`)] },
    {
      name: finishedAt === null ? "processing" : `processing, ${state}`,
      marks: startedAt === null ? [] : [mark(startedAt, end, tone, `started at ${startedAt}`)],
    },
  ];
}

function Progress({ job: { progress, state }, due }: Pick<JobModel, "job" | "due">) {
  const { rowsProcessed, rowsTotal } = progress;
  const [next] = due;
  return (
    <p>
      {rowsTotal !== null && (
        <progress max={rowsTotal} value={rowsProcessed} aria-label="Rows that are read" />
      )}{" "}
      The job is {state}: {describeRows(progress)}.{" "}
      {next && (
        <>
          Next, at <Time at={next.at} isFull />: {next.text}.
        </>
      )}
    </p>
  );
}

const factsOf = (job: JobRecord) =>
  [
    ["Job", <code>{job.jobId}</code>],
    ["File", `${job.fileName ?? "unnamed"}, ${formatThousands(job.fileBytes)} bytes`],
    ["Environment", job.environment],
    ["Submitted", <Time at={job.createdAt} isFull />],
    ["Finished", job.finishedAt ? <Time at={job.finishedAt} isFull /> : "not yet"],
    ["As of", job.asOf],
    ["Runs", job.runCount],
    ["Rows", describeRows(job.progress)],
  ] as const;

const describeRows = ({ rowsProcessed, rowsTotal }: JobRecord["progress"]): string =>
  `${formatThousands(rowsProcessed)}${rowsTotal === null ? "" : ` of ${formatThousands(rowsTotal)}`} rows are read`;
