import { ClaimsError, interruptedError } from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import type { DatasetFormat } from "../dataset/open-dataset.ts";
import type { FailingOutcome } from "../fail-on.ts";
import { followJob } from "../follow.ts";
import { pullJob } from "../pull-job.ts";
import { addError, addJob, type BatchItem } from "./item.ts";
import type { BatchContext } from "./submit-item.ts";

export interface FollowOptions {
  readonly global: GlobalOptions;
  /** Of a dataset. */
  readonly format: DatasetFormat | undefined;
  readonly failOn: FailingOutcome | undefined;
  /** The folder to pull a job to; null without `--pull`. */
  folderFor(item: BatchItem): string | null;
}

/** Waits until the job of an item ends, and pulls its report and dataset. */
export async function followItem(
  { context, previous, service }: BatchContext,
  { global, failOn, folderFor, format }: FollowOptions,
  item: BatchItem,
): Promise<BatchItem> {
  const { error, jobId, sent } = item;
  if (jobId === null || error !== null) return item;
  // The job may go on after an interruption.
  const open = { ...item, status: "pending", state: "pending" } as const;
  if (context.signal.aborted) return addError(open, interruptedError(context.signal.reason));
  // The batch shows its own progress.
  const quietContext = { ...context, stderr: { ...context.stderr, isTerminal: false } };
  let followed = open as BatchItem;
  try {
    const options = { failOn, sent };
    const { job, report, failure, deadline } = await followJob(quietContext, service, global, jobId, options);
    followed = addJob(item, job, failure);
    const folder = report && folderFor(item);
    if (folder) {
      const supersededIds = previous.jobIdsOf(item.row);
      const pull = () => pullJob(quietContext, service, { job, report, folder, format, supersededIds });
      await service.client.outlast(pull, deadline);
    }
    const outcome = valueAt(report?.record, "rf8Review.outcome");
    return { ...followed, outcome: typeof outcome === "string" ? outcome : null };
  } catch (caught) {
    if (!(caught instanceof ClaimsError)) throw caught;
    return addError(followed, caught);
  }
}
