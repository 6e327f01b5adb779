import type { Job as JobRecord } from "../contract/diligence.ts";
import type { DiligenceReport } from "../domain/diligence/report.ts";
import { formatDollars, formatThousands } from "../domain/numbers.ts";
import { ActionForm, Badge, Button, Facts, Section, Table, Time } from "./parts.tsx";
import { Report, type ReportModel } from "./report.tsx";
import { useSite } from "./site.ts";

/** What a run of a job led to. */
export interface JobRun {
  readonly number: number;
  readonly state: string;
  readonly report: DiligenceReport | null;
  readonly failure: { readonly code: string; readonly detail: string; readonly line: number | null } | null;
}

export interface JobModel {
  readonly job: JobRecord;
  readonly runs: readonly JobRun[];
  /** Entries that the first run deferred, the first of them. */
  readonly deferred: readonly { readonly line: number; readonly entryNumber: string }[];
  readonly result: ReportModel | null;
}

const ENDED_TONES: Readonly<Record<string, string>> = { completed: "ok", partial: "warn", failed: "bad" };

const StateBadge = ({ state }: Pick<JobRun, "state">) => (
  <Badge tone={ENDED_TONES[state] ?? "due"}>{state}</Badge>
);

export function Job({ job, runs, deferred, result }: JobModel) {
  const { formToken, links } = useSite();
  const { fileName, fileBytes, jobId, progress, sellerName, state } = job;
  return (
    <>
      <h1>
        Job of {sellerName} <StateBadge state={state} />
      </h1>
      <Facts
        facts={[
          ["Job", <code key="id">{jobId}</code>],
          ["File", `${fileName ?? "unnamed"}, ${formatThousands(fileBytes)} bytes`],
          ["Submitted", <Time key="created" at={job.createdAt} isFull />],
          ["Finished", job.finishedAt ? <Time key="finished" at={job.finishedAt} isFull /> : "not yet"],
          ["As of", job.asOf],
          ["Rows", `${formatThousands(progress.rowsProcessed)} of ${progress.rowsTotal ?? "?"} read`],
        ]}
      />
      <div class="actions">
        {(state === "partial" || state === "failed") && (
          <ActionForm path={`/jobs/${jobId}/resume`} label="Resume">
            <Button>Resume the job</Button>
          </ActionForm>
        )}
        {formToken !== null && result && <a href={links.report(jobId)}>The report alone, to print</a>}
      </div>
      {(runs.length > 1 || !result) && <Runs runs={runs} />}
      {deferred.length > 0 && (
        <Section title="Deferred entries" note="The first run left them out; a resume adds them">
          <Table label="Deferred entries" head={[{ number: "Line" }, "Entry"]}>
            {deferred.map(({ line, entryNumber }) => (
              <tr key={line}>
                <td class="number">{line}</td>
                <td>{entryNumber}</td>
              </tr>
            ))}
          </Table>
        </Section>
      )}
      {result && (
        <section>
          <h2>Report</h2>
          <Report {...result} />
        </section>
      )}
    </>
  );
}

const ROWS: readonly (readonly [name: string, value: (run: JobRun) => string])[] = [
  ["accepted", ({ report }) => number(report?.totals.entriesAccepted)],
  ["rejected", ({ report }) => number(report?.totals.entriesRejected)],
  ["deferred", ({ report }) => number(report?.totals.entriesDeferred)],
  ["IEEPA duty", ({ report }) => (report ? formatDollars(report.totals.ieepaDutyCents) : "–")],
  ["estimated claim", ({ report }) => (report ? formatDollars(report.totals.estimatedClaimCents) : "–")],
  ["outcome", ({ report }) => report?.rf8Review.outcome ?? "–"],
  ["failure", ({ failure }) => (failure ? `${failure.code}: ${failure.detail}` : "–")],
];

const number = (value: number | undefined): string => (value === undefined ? "–" : formatThousands(value));

const Runs = ({ runs }: Pick<JobModel, "runs">) => (
  <Section title="Runs" live="runs">
    <Table label="Runs side by side" head={["Result", ...runs.map(({ number: run }) => `Run ${run}`)]}>
      <tr>
        <th scope="row">state</th>
        {runs.map((run) => (
          <td key={run.number}>
            <StateBadge state={run.state} />
          </td>
        ))}
      </tr>
      {ROWS.map(([name, value]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {runs.map((run) => (
            <td key={run.number}>{value(run)}</td>
          ))}
        </tr>
      ))}
    </Table>
  </Section>
);
