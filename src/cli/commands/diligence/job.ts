import type { Answer } from "../../../client/client.ts";
import { readJobFields, type JobProgress, readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { FILE_ERROR_CODES } from "../../../domain/entries/file-fault.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../answer.ts";
import type { Card, ListColumn, Output } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { toRecordCard } from "../../record-card.ts";
import type { Service } from "../../service.ts";
import type { Told } from "./jobs.ts";

/** A job as the service told it, and what we read out of it. */
export interface ToldJob extends Told {
  readonly seen: JobProgress;
}

/** What a list of jobs shows of each. */
export const JOB_COLUMNS: readonly ListColumn<Told>[] = [
  { name: "state", value: ({ record }) => readJobProgress(record).state },
  { name: "rowsProcessed", title: "rows", align: "right", value: ({ record }) => readJobProgress(record).rowsProcessed },
];

/** @throws ClaimsError where the answer is not JSON */
export function toldJob(id: string, answer: Answer): ToldJob {
  const record = parseJsonResponse(answer, `job ${id}`);
  return { id, body: answer.body, record, seen: readJobProgress(record) };
}

export async function askForJob({ client, operations }: Service, id: string): Promise<ToldJob> {
  return toldJob(id, await client.send(operations.diligence.status, { params: { jobId: id } }));
}

/** A job, and what was not as hoped. */
export function jobOutput(job: ToldJob, failure?: ClaimsError): Output {
  return { kind: "record", json: job.body, id: job.id, blocks: [jobCard(job)], failure };
}

/** A job as a card: what the service sent, under the names it uses. */
export const jobCard = ({ id, record }: ToldJob): Card =>
  toRecordCard(isRecord(record) ? record : {}, `Job ${id}`);

/** @param waited milliseconds, where somebody waited */
export const stillPending = ({ id, seen }: ToldJob, waited?: number): ClaimsError =>
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
export function endedBadly({ id, record, seen }: ToldJob): ClaimsError {
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
export async function whyNotReadable(service: Service, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ClaimsError) || error.kind !== "rejected") return error;
  const job = await askForJob(service, id);
  const state = categorizeState(job.seen.state);
  if (state === "pending") return stillPending(job);
  return state === "failed" ? endedBadly(job) : error;
}
