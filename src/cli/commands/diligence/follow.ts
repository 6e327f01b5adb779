import type { JobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError } from "../../../domain/errors.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import { formatThousands } from "../../output/numbers.ts";
import type { Output } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { DEFAULT_WAIT_MS, waitForEnd } from "../../records/wait-for-end.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { checkOutcome, type FailingOutcome } from "./fail-on.ts";
import { fetchJob, type JobView, renderJob, stillPendingError, unfinishedJobError } from "./job.ts";
import type { JobResponse } from "./jobs.ts";
import { reportBlocks } from "./report-card.ts";

/** How a job went: its last record, and its report where it has one. */
export interface FollowedJob {
  readonly job: JobView;
  readonly report: JobResponse | null;
  readonly failure: ClaimsError | undefined;
}

/** What becomes of a job, as one answer: the report, or the job where there is none (product.md §3). */
export const renderFollowedJob = ({ job, report, failure }: FollowedJob): Output =>
  report === null
    ? renderJob(job, failure)
    : { kind: "record", json: report.body, id: job.id, blocks: reportBlocks(report.record, job.id), failure };

/** Waits for the end of a job and says how it went. */
export async function followJob(
  context: Context,
  service: Service,
  global: GlobalOptions,
  id: string,
  failOn?: FailingOutcome,
): Promise<FollowedJob> {
  const job = await waitForJob(context, service, global, id);
  await logJobState(context, service, id, job.seen.state);
  const state = categorizeState(job.seen.state);
  if (state === "pending") {
    return { job, report: null, failure: stillPendingError(job, global.timeout ?? DEFAULT_WAIT_MS) };
  }
  if (state === "failed") return { job, report: null, failure: unfinishedJobError(job) };
  const { body, ...answer } = await service.client.send(service.operations.diligence.report, {
    params: { jobId: id },
  });
  const record = parseJsonResponse({ body, ...answer }, `the report of job ${id}`);
  const failure = state === "partial" ? unfinishedJobError(job) : checkOutcome(record, failOn);
  return { job, report: { id, body, record }, failure };
}

async function waitForJob(
  context: Context,
  service: Service,
  { timeout }: GlobalOptions,
  id: string,
): Promise<JobView> {
  try {
    const ask = () => fetchJob(service, id);
    return await waitForEnd(context, { what: "the job", ask, timeout, describe: renderProgress });
  } catch (error) {
    throw context.signal.aborted ? waitInterruptedError(id, error) : addWaitHint(id, error);
  }
}

function renderProgress({ state, rowsProcessed, rowsTotal }: JobProgress): string {
  if (!rowsProcessed) return state;
  const of = rowsTotal === null ? "" : ` of ${formatThousands(rowsTotal)}`;
  return `${state}: ${formatThousands(rowsProcessed)}${of} rows`;
}

const waitInterruptedError = (id: string, cause: unknown): ClaimsError =>
  new ClaimsError("interrupted", "interrupted", "interrupted; the job goes on without us", {
    hint: `claims diligence wait ${quoteId(id)}`,
    cause,
  });

/** A service that cannot be reached any more: the job may well go on. */
function addWaitHint(id: string, error: unknown): unknown {
  if (!(error instanceof ClaimsError) || error.kind !== "unreachable") return error;
  return rephraseError(error, {
    hint: `the job may go on; ask again with: \`claims diligence wait ${quoteId(id)}\``,
  });
}
