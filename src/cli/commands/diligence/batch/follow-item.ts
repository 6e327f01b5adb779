import { basename, join } from "node:path";
import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError, interruptedError } from "../../../../domain/errors.ts";
import { groupBy } from "../../../../domain/group-by.ts";
import { valueAt } from "../../../../domain/json.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { withoutProgress } from "../../../output/progress.ts";
import { isOutcomeUnknown } from "../../../write-log/finish-write.ts";
import { logJobState } from "../../../write-log/job-log.ts";
import { followJob } from "../follow.ts";
import { fetchJob, isResumable, readWrittenJob, sendResume, unfinishedJobError } from "../job.ts";
import type { FailOn } from "../options.ts";
import { pullJob } from "../pull-job.ts";
import { addJob, type BatchItem } from "./item.ts";
import type { BatchRow } from "./manifest.ts";
import type { BatchContext } from "./open-batch.ts";

export interface FollowOptions {
  readonly global: GlobalOptions;
  readonly failOn: FailOn;
  /** The folder to pull a job to; null without `--pull`. */
  folderFor(item: BatchItem): string | null;
}

export async function followItem(
  { context, previous, progress, service }: BatchContext,
  { global, failOn, folderFor }: FollowOptions,
  item: BatchItem,
): Promise<BatchItem> {
  const { error, jobId, sent } = item;
  if (jobId === null || error !== null || progress.isAbandoned) return item;
  // The job may go on after an interruption.
  const open = { ...item, status: "pending", state: "pending" } as const;
  if (context.signal.aborted) return { ...open, error: interruptedError(context.signal.reason) };
  const quietContext = withoutProgress(context);
  let followed = open as BatchItem;
  try {
    const options = { failOn, sent };
    const { job, report, failure, deadline } = await followJob(quietContext, service, global, jobId, options);
    followed = addJob(item, job, failure);
    const folder = report && folderFor(item);
    if (folder) {
      const supersededIds = previous.jobIdsOf(item.row);
      const pull = () => pullJob(quietContext, service, { job, report, folder, supersededIds });
      await service.client.outages.outlast(pull, deadline);
    }
    const outcome = valueAt(report?.record, "rf8Review.outcome");
    return { ...followed, outcome: typeof outcome === "string" ? outcome : null };
  } catch (caught) {
    if (!(caught instanceof ClaimsError)) throw caught;
    return { ...followed, error: caught };
  }
}

/** Resumes the job of an item from an earlier run if it ended partial, or failed for another reason than its file. */
export async function resumeItem(batch: BatchContext, item: BatchItem): Promise<BatchItem> {
  const { context, keyLifetime, progress, resendUnknown, service } = batch;
  const { jobId } = item;
  if (item.status !== "already" || jobId === null || progress.isStopped) return item;
  try {
    const job = await fetchJob(service, jobId);
    if (!isResumable(job)) {
      const hasFailed = categorizeState(job.seen.state) === "failed";
      return hasFailed ? addJob(item, job, unfinishedJobError(job)) : item;
    }
    const response = await sendResume(context, service, jobId, { resendUnknown, keyLifetime });
    if (response.failure) throw response.failure;
    progress.recordSuccess();
    const resumed = readWrittenJob(context, jobId, response);
    await logJobState(context, service, jobId, resumed.seen.state);
    const withJob = addJob(item, resumed, undefined);
    return withJob.status === "pending" ? { ...withJob, status: "resumed" } : withJob;
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    progress.recordFailure(error);
    return { ...item, error, ...(isOutcomeUnknown(error) && { status: "unknown", state: "unknown" }) };
  }
}

/** Names the folder of a job after its file, or after the job id if two files have the same name. */
export function assignFolders(rows: readonly BatchRow[], parent: string): FollowOptions["folderFor"] {
  const nameOf = ({ path }: BatchRow) => safeFolderName(basename(path).replace(/\.csv$/i, ""));
  const byName = groupBy(rows, nameOf);
  return ({ row, jobId }) => {
    const name = nameOf(row);
    const isOnly = byName.get(name)?.length === 1;
    return join(parent, isOnly ? name : safeFolderName(encodeURIComponent((jobId ?? "").toWellFormed())));
  };
}

/** An empty name, `.` or `..` would be the parent folder or the one above it. */
const safeFolderName = (name: string): string => name.replace(/^\.{0,2}$/, "_$&");
