import type { VNode } from "preact";
import type { Job } from "../../../src/contract/operations/diligence.ts";
import type { DiligenceReport } from "../../../src/domain/diligence/assessment.ts";
import { formatThousands } from "../../../src/domain/numbers.ts";
import { Badge, Facts, Section, Time, type Tone } from "../../../src/pages/parts.tsx";
import { type DueMark, type Lane, type Mark, TimePicture } from "../../../src/pages/pictures.tsx";
import { Report } from "../../../src/pages/report.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import type { JobRow } from "../../store/jobs.ts";
import { readReport } from "../../store/reports.ts";
import { listDueFor } from "./due.ts";
import { EventList, foldPolls, toEvent } from "./events.tsx";
import { Rows, readRows } from "./job-rows.tsx";
import { JOB_TONES } from "./jobs.tsx";

const MAX_REQUESTS = 50;

export function renderJobPage(engine: Engine, row: JobRow, query: URLSearchParams): VNode {
  const { seq } = row;
  const wholeReport =
    row.state === "completed" || row.state === "partial"
      ? (JSON.parse(readReport(engine.store, seq, row.state === "completed")) as DiligenceReport)
      : null;
  const events = listRequestsOfJob(engine, row.id).map((request) => toEvent(engine, request));
  const { job, report, rows, due, requests } = redactModel({
    job: toJob(row),
    // The rows have them, page by page.
    report: wholeReport && { ...wholeReport, rejections: [] },
    rows: readRows(engine, row, wholeReport, query),
    due: listDueFor(engine, row.id),
    requests: foldPolls(events).slice(0, MAX_REQUESTS),
  });
  const { failure, sellerName, state } = job;
  return (
    <>
      <div data-live="head">
        <h1>
          Job of {sellerName || "a seller without a name"} <Badge tone={JOB_TONES[state]}>{state}</Badge>
        </h1>
        {failure && (
          <p class="message failure">
            {failure.code}: {failure.detail}
          </p>
        )}
      </div>
      <Section live="time">
        <TimePicture label="The job in time" lanes={toLanes(row)} due={due} />
        {(state === "queued" || state === "processing") && <Progress job={job} next={due[0]} />}
      </Section>
      <div data-live="facts">
        <Facts
          facts={{
            Job: <code>{job.jobId}</code>,
            File: `${job.fileName ?? "unnamed"}, ${formatThousands(job.fileBytes)} bytes`,
            Environment: job.environment,
            Submitted: <Time at={job.createdAt} />,
            Finished: <Time at={job.finishedAt} otherwise="not yet" />,
            "As of": job.asOf,
            Runs: job.runCount,
            Rows: describeRows(job.progress),
          }}
        />
        {report && <Report report={report} />}
      </div>
      <Rows rows={rows} />
      <Section title="Its requests" live="requests">
        <EventList events={requests} emptyMessage="None is in the request log." />
      </Section>
    </>
  );
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

function toLanes({ createdAt, startedAt, finishedAt, state }: JobRow): Lane[] {
  const queued = toMark("queued", createdAt, startedAt ?? finishedAt, "due");
  return [
    { name: "queued", marks: [queued] },
    {
      name: finishedAt === null ? "processing" : `processing, ${state}`,
      marks: startedAt === null ? [] : [toMark("started", startedAt, finishedAt, JOB_TONES[state])],
    },
  ];
}

function toMark(verb: string, at: number, until: number | null, tone: Tone): Mark {
  return { at, until, tone, title: `${verb} at ${formatTime(at)}` };
}

interface ProgressProps {
  readonly job: Job;
  readonly next: DueMark | undefined;
}

const Progress = ({ job: { progress, state }, next }: ProgressProps) => (
  <p>
    {progress.rowsTotal !== null && (
      <progress max={progress.rowsTotal} value={progress.rowsProcessed} aria-label="Rows that are read" />
    )}{" "}
    The job is {state}: {describeRows(progress)}.{" "}
    {next && (
      <>
        Next, at <Time at={next.at} />: {next.text}.
      </>
    )}
  </p>
);

const describeRows = ({ rowsProcessed, rowsTotal }: Job["progress"]): string =>
  `${formatThousands(rowsProcessed)}${rowsTotal === null ? "" : ` of ${formatThousands(rowsTotal)}`} rows are read`;
