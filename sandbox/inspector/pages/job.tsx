import type { VNode } from "preact";
import type { Job } from "../../../src/contract/operations/diligence.ts";
import type { DiligenceReport } from "../../../src/domain/diligence/assessment.ts";
import { formatThousands } from "../../../src/domain/numbers.ts";
import type { Lane } from "../../../src/pages/lanes.ts";
import { Badge, Facts, Section, Time, type Tone } from "../../../src/pages/parts.tsx";
import { TimePicture } from "../../../src/pages/pictures.tsx";
import { Report } from "../../../src/pages/report.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { readClock } from "../../library/read-state.ts";
import type { JobRow } from "../../store/jobs.ts";
import { readReport } from "../../store/reports.ts";
import { type DueTask, listDueFor } from "./due.ts";
import { EventList, foldPolls, toEvent } from "./events.tsx";
import { Rows, readRows } from "./job-rows.tsx";
import { JOB_TONES } from "./jobs.tsx";

const MAX_REQUESTS = 50;

export function renderJobPage(engine: Engine, row: JobRow, query = new URLSearchParams()): VNode {
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
  const { now } = readClock(engine);
  const { failure, sellerName, state } = job;
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
        <EventList events={requests} />
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

function toLanes({ createdAt, startedAt, finishedAt, state }: Job, now: string): Lane[] {
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

function Progress({
  job: { progress, state },
  due,
}: {
  readonly job: Job;
  readonly due: readonly DueTask[];
}) {
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

const factsOf = (job: Job) =>
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

const describeRows = ({ rowsProcessed, rowsTotal }: Job["progress"]): string =>
  `${formatThousands(rowsProcessed)}${rowsTotal === null ? "" : ` of ${formatThousands(rowsTotal)}`} rows are read`;
