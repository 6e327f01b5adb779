import type { JobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError } from "../../../domain/errors.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import type { Output } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { DEFAULT_WAIT_MS, waitForEnd } from "../../records/wait-for-end.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { createEndWatch } from "./end-watch.ts";
import { checkOutcome, type FailingOutcome } from "./fail-on.ts";
import {
  fetchReport,
  type JobResponse,
  type JobView,
  renderJob,
  requireSameFile,
  type SentFile,
  stillPendingError,
  unfinishedJobError,
  unknownStateError,
} from "./job.ts";
import { reportBlocks } from "./report-card.ts";

/** The last record of a job, and its report if it has one. */
export interface FollowedJob {
  readonly job: JobView;
  readonly report: JobResponse | null;
  readonly failure: ClaimsError | undefined;
  /** The end of the wait, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** Renders the report, or the job if it has none (product.md §3). */
export function renderFollowedJob({ job, report, failure }: FollowedJob): Output {
  if (report === null) return renderJob(job, failure);
  const { body, record } = report;
  return { kind: "record", json: body, record, id: job.id, blocks: reportBlocks(record, job.id), failure };
}

export async function followJob(
  context: Context,
  service: Service,
  { timeout = DEFAULT_WAIT_MS }: GlobalOptions,
  id: string,
  {
    failOn,
    sent = null,
  }: { readonly failOn?: FailingOutcome | undefined; readonly sent?: SentFile | null } = {},
): Promise<FollowedJob> {
  const deadline = context.now() + timeout;
  const ask = createEndWatch(service, id);
  try {
    const wait = { what: "the job", ask, timeout, describe: renderProgress };
    const job = await waitForEnd(context, service, wait);
    await logJobState(context, service, id, job.seen.state);
    requireSameFile(context, job, sent);
    const ended = { job, report: null, deadline };
    const state = job.seen.ended ?? categorizeState(job.seen.state);
    if (state === "pending") return { ...ended, failure: stillPendingError(job, timeout) };
    if (state === "failed") return { ...ended, failure: unfinishedJobError(job) };
    const report = await service.client.outlast(() => fetchReport(service, id), deadline);
    const declined = checkOutcome(report.record, failOn);
    if (state === "unknown") return { ...ended, report, failure: unknownStateError(id) };
    const failure =
      state === "partial" ? unfinishedJobError(job) : declined && rephraseError(declined, { jobId: id });
    return { ...ended, report, failure };
  } catch (error) {
    const resume = `claims diligence wait ${quoteId(id)}`;
    if (context.signal.aborted) {
      const message = "interrupted; the job continues on the service";
      throw new ClaimsError("interrupted", "interrupted", message, {
        hint: resume,
        jobId: id,
        retryable: true,
        cause: error,
      });
    }
    if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
    throw rephraseError(error, { jobId: id, hint: `the job may continue; wait again with \`${resume}\`` });
  }
}

function renderProgress({ state, rowsProcessed, rowsTotal }: JobProgress): string {
  if (!rowsProcessed) return state;
  const total = rowsTotal === null ? "" : `${formatThousands(rowsProcessed)} of `;
  return `${state}: ${total}${formatCount(rowsTotal ?? rowsProcessed, "row")}`;
}
