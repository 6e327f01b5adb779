import type { Job as JobRecord } from "../contract/diligence.ts";
import { formatThousands } from "../domain/numbers.ts";
import { ActionForm, Badge, Button, Facts, Time } from "./parts.tsx";
import { Report, type ReportModel } from "./report.tsx";

export interface JobModel {
  readonly job: JobRecord;
  readonly result: ReportModel | null;
}

const ENDED_TONES: Readonly<Record<string, string>> = { completed: "ok", partial: "warn", failed: "bad" };

export function Job({ job, result }: JobModel) {
  const { failure, fileName, fileBytes, jobId, progress, runCount, sellerName, state } = job;
  return (
    <>
      <h1>
        Job of {sellerName} <Badge tone={ENDED_TONES[state] ?? "due"}>{state}</Badge>
      </h1>
      {failure && (
        <p class="message failure">
          {failure.code}: {failure.detail}
        </p>
      )}
      <Facts
        facts={[
          ["Job", <code key="id">{jobId}</code>],
          ["File", `${fileName ?? "unnamed"}, ${formatThousands(fileBytes)} bytes`],
          ["Submitted", <Time key="created" at={job.createdAt} isFull />],
          ["Finished", job.finishedAt ? <Time key="finished" at={job.finishedAt} isFull /> : "not yet"],
          ["As of", job.asOf],
          ["Runs", runCount],
          ["Rows", `${formatThousands(progress.rowsProcessed)} of ${progress.rowsTotal ?? "?"} read`],
        ]}
      />
      {(state === "partial" || state === "failed") && (
        <ActionForm path={`/jobs/${jobId}/resume`} label="Resume">
          <Button>Resume the job</Button>
        </ActionForm>
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
