import { type SeenJob, waitUntilEnded } from "../../../client/wait.ts";
import { readState } from "../../../domain/diligence/states.ts";
import { ClaimsError, retold } from "../../../domain/errors.ts";
import { parseAnswer } from "../../answer.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { noteState } from "../../journal/jobs-here.ts";
import { withThousands } from "../../output/numbers.ts";
import type { Output } from "../../output/output.ts";
import { startProgress } from "../../progress.ts";
import type { Service } from "../../service.ts";
import { askForJob, endedBadly, jobOutput, stillPending, type ToldJob } from "./job.ts";
import type { Told } from "./jobs.ts";
import { type FailingOutcome, judged } from "./outcome.ts";
import { reportBlocks } from "./report-card.ts";

/** How long `--wait` waits unless `--timeout` says otherwise (product.md §3). */
export const DEFAULT_WAIT = 15 * 60_000;

/** How a job went: its last record, and its report where it has one. */
export interface JobEnd {
  readonly job: ToldJob;
  readonly report: Told | null;
  readonly failure: ClaimsError | undefined;
}

/** What becomes of a job, as one answer: the report, or the job where there is none (product.md §3). */
export const endOutput = ({ job, report, failure }: JobEnd): Output =>
  report === null
    ? jobOutput(job, failure)
    : { kind: "record", json: report.body, id: job.id, blocks: reportBlocks(report.record, job.id), failure };

/** Waits for the end of a job and says how it went. */
export async function followJob(
  context: Context,
  service: Service,
  global: GlobalOptions,
  id: string,
  failOn?: FailingOutcome,
): Promise<JobEnd> {
  const job = await waitForEnd(context, service, global, id);
  await noteState(context, service, id, job.seen.state);
  const state = readState(job.seen.state);
  if (state === "pending") {
    return { job, report: null, failure: stillPending(job, global.timeout ?? DEFAULT_WAIT) };
  }
  if (state === "failed") return { job, report: null, failure: endedBadly(job) };
  const { body, ...answer } = await service.client.send(service.operations.diligence.report, {
    params: { jobId: id },
  });
  const record = parseAnswer({ body, ...answer }, `the report of job ${id}`);
  const failure = state === "partial" ? endedBadly(job) : judged(record, failOn);
  return { job, report: { id, body, record }, failure };
}

async function waitForEnd(
  context: Context,
  service: Service,
  global: GlobalOptions,
  id: string,
): Promise<ToldJob> {
  const progress = startProgress(context.stderr, "waiting for the job");
  try {
    return await waitUntilEnded(() => askForJob(service, id), {
      surroundings: context,
      timeout: global.timeout ?? DEFAULT_WAIT,
      signal: context.signal,
      onProgress: (seen) => progress.update(progressText(seen)),
    });
  } catch (error) {
    throw context.signal.aborted ? interruptedWait(id, error) : lostSight(id, error);
  } finally {
    progress.stop();
  }
}

function progressText({ state, rowsProcessed, rowsTotal }: SeenJob): string {
  if (!rowsProcessed) return state;
  const of = rowsTotal === null ? "" : ` of ${withThousands(rowsTotal)}`;
  return `${state}: ${withThousands(rowsProcessed)}${of} rows`;
}

const interruptedWait = (id: string, cause: unknown): ClaimsError =>
  new ClaimsError("interrupted", "interrupted", "interrupted; the job goes on without us", {
    hint: `claims diligence wait ${id}`,
    cause,
  });

/** A service that cannot be reached any more: the job may well go on. */
function lostSight(id: string, error: unknown): unknown {
  if (!(error instanceof ClaimsError) || error.kind !== "unreachable") return error;
  return retold(error, { hint: `the job may go on; ask again with: \`claims diligence wait ${id}\`` });
}
