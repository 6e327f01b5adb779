import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { logJobState } from "../../../write-log/job-log.ts";
import { isOutcomeUnknown } from "../../../write-log/send-logged.ts";
import { fetchJob, isResumable, readWrittenJob, unfinishedJobError } from "../job.ts";
import { sendResume } from "../send-resume.ts";
import { addError, addJob, type BatchItem } from "./item.ts";
import type { BatchContext } from "./submit-item.ts";

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
    const failed = addError(item, error);
    return isOutcomeUnknown(error) ? { ...failed, status: "unknown", state: "unknown" } : failed;
  }
}
