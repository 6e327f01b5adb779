import type { ApiResponse } from "../../../client/client.ts";
import { type JobProgress, readJobFields, readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { FILE_ERROR_CODES } from "../../../domain/entries/entry-file-error.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Card, ListColumn, Output } from "../../output/output.ts";
import { toRecordCard } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import type { JobResponse } from "./jobs.ts";

/** A job as the service told it, and what we read out of it. */
export interface JobView extends JobResponse {
  readonly seen: JobProgress;
}

/** What a list of jobs shows of each. */
export const JOB_COLUMNS: readonly ListColumn<JobResponse>[] = [
  { name: "state", value: ({ record }) => readJobProgress(record).state },
  {
    name: "rowsProcessed",
    title: "rows",
    align: "right",
    value: ({ record }) => readJobProgress(record).rowsProcessed,
  },
];

/** @throws ClaimsError where the answer is not JSON */
export function parseJob(id: string, answer: ApiResponse): JobView {
  const record = parseJsonResponse(answer, `job ${id}`);
  return { id, body: answer.body, record, seen: readJobProgress(record) };
}

export async function fetchJob({ client, operations }: Service, id: string): Promise<JobView> {
  return parseJob(id, await client.send(operations.diligence.status, { params: { jobId: id } }));
}

/** A job, and what was not as hoped. */
export function renderJob(job: JobView, failure?: ClaimsError): Output {
  return { kind: "record", json: job.body, id: job.id, blocks: [jobCard(job)], failure };
}

/** A job as a card: what the service sent, under the names it uses. */
export const jobCard = ({ id, record }: JobView): Card =>
  toRecordCard(isRecord(record) ? record : {}, `Job ${id}`);

/** @param waited milliseconds, where somebody waited */
export const stillPendingError = ({ id, seen }: JobView, waited?: number): ClaimsError =>
  new ClaimsError(
    "pending",
    "still_pending",
    `job ${id} is still ${seen.state}${waited === undefined ? "" : ` after ${waited / 1000} s`}`,
    {
      hint: `claims diligence wait ${quoteId(id)}`,
      retryable: true,
    },
  );

/** A job that ended partial or failed, with the reason where the service gives one. */
export function unfinishedJobError({ id, record, seen }: JobView): ClaimsError {
  const { failure } = readJobFields(record) as { failure?: { code?: unknown; detail?: unknown } | null };
  const reason = [failure?.code, failure?.detail].filter((part) => typeof part === "string").join(": ");
  const message = `job ${id} ended ${seen.state}${reason && ` (${reason})`}`;
  const isFileFault = (FILE_ERROR_CODES as readonly unknown[]).includes(failure?.code);
  return new ClaimsError("unfinished_job", `job_${categorizeState(seen.state)}`, message, {
    // Resuming would read the same file again.
    hint: isFileFault
      ? "mend the file and submit it again; `claims diligence check FILE` looks at it offline"
      : `claims diligence resume ${quoteId(id)} --wait`,
  });
}

/**
 * Why a report or dataset could not be read. Which status and code say "not yet" is nowhere documented (§7), so a
 * refusal is explained by the job's own state.
 */
export async function explainNotReadable(service: Service, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ClaimsError) || error.kind !== "rejected") return error;
  const job = await fetchJob(service, id);
  const state = categorizeState(job.seen.state);
  if (state === "pending") return stillPendingError(job);
  return state === "failed" ? unfinishedJobError(job) : error;
}
