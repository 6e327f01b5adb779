import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { followJob } from "../follow.ts";
import { MANIFEST_NAME, pullJob } from "../pull-job.ts";
import type { BatchProgress } from "./batch-progress.ts";
import type { BatchItem } from "./item.ts";

/** What following needs beside the item. */
export interface FollowOptions {
  readonly context: Context;
  readonly service: Service;
  readonly global: GlobalOptions;
  readonly progress: BatchProgress;
  /** Where to pull a job to; null where nothing is pulled. */
  folderFor(item: BatchItem): string | null;
}

/** Waits for the end of an item's job, and pulls what it left. */
export async function followItem(watch: FollowOptions, item: BatchItem): Promise<BatchItem> {
  const { context, service, global, progress: course } = watch;
  const { jobId } = item;
  if (jobId === null || context.signal.aborted) return item;
  // The batch itself shows how far it is.
  const quietContext = { ...context, stderr: { ...context.stderr, isTerminal: false } };
  try {
    const { job, report, failure } = await followJob(quietContext, service, global, jobId);
    if (failure) course.failures.push(failure);
    const outcome = valueAt(report?.record, "rf8Review.outcome");
    const folder = report && watch.folderFor(item);
    if (folder && !(await isAlreadyPulled(folder, jobId)))
      await pullJob(quietContext, service, jobId, folder);
    return {
      ...item,
      state: job.seen.state,
      outcome: typeof outcome === "string" ? outcome : null,
      error: failure ?? null,
    };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    course.failures.push(error);
    return { ...item, error };
  }
}

/** Whether an earlier run has left this very job there, whole. */
async function isAlreadyPulled(folder: string, jobId: string): Promise<boolean> {
  try {
    return valueAt(JSON.parse(await readFile(join(folder, MANIFEST_NAME), "utf8")), "jobId") === jobId;
  } catch {
    // Missing or broken: it is pulled again.
    return false;
  }
}
