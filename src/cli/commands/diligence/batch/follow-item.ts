import { ClaimsError } from "../../../../domain/errors.ts";
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
  const { error, jobId } = item;
  if (jobId === null || error !== null || context.signal.aborted) return item;
  // The batch shows its own progress.
  const quietContext = { ...context, stderr: { ...context.stderr, isTerminal: false } };
  try {
    const { job, report, failure, deadline } = await followJob(quietContext, service, global, jobId, failOn);
    const folder = report && folderFor(item);
    if (folder) {
      const supersededIds = previous.jobIdsOf(item.row);
      const pull = () => pullJob(quietContext, service, { job, report, folder, format, supersededIds });
      await service.client.outlast(pull, deadline);
    }
    const outcome = valueAt(report?.record, "rf8Review.outcome");
    return { ...addJob(item, job, failure), outcome: typeof outcome === "string" ? outcome : null };
  } catch (caught) {
    if (!(caught instanceof ClaimsError)) throw caught;
    return addError(item, caught);
  }
}
