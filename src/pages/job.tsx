import type { Job as JobRecord } from "../contract/operations/diligence.ts";
import type { DiligenceReport } from "../domain/diligence/report.ts";
import { formatThousands } from "../domain/numbers.ts";
import { ActionForm, Badge, Button, Facts, Time } from "./parts.tsx";
import { Report } from "./report.tsx";

export interface JobModel {
  readonly job: JobRecord;
  readonly report: DiligenceReport | null;
}

const ENDED_TONES: Readonly<Record<string, string>> = { completed: "ok", partial: "warn", failed: "bad" };

export function Job({ job, report }: JobModel) {
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
      {report && (
        <section>
          <h2>Report</h2>
          <Report report={report} />
        </section>
      )}
    </>
  );
}
