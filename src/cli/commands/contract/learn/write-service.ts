import { categorizeState } from "../../../../domain/diligence/states.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { waitForEnd } from "../../../records/wait-for-end.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { logJobState } from "../../../write-log/job-log.ts";
import { openLoggedWrites, sendLogged } from "../../../write-log/send-logged.ts";
import { openEntryFile } from "../../diligence/entry-file.ts";
import { createEndWatch } from "../../diligence/follow.ts";
import { sendResume } from "../../diligence/job.ts";
import { describeSubmission } from "../../diligence/submission.ts";
import { submitFile } from "../../diligence/submit-file.ts";
import type { Attempts } from "./attempts.ts";
import type { LearnInvocation } from "./learn.ts";

export type Submission = Awaited<ReturnType<typeof openSubmission>>;

export async function openSubmission(
  context: Context,
  { onEnd }: Pick<LearnInvocation, "onEnd">,
  path: string,
  sellerName: string,
) {
  const file = await openEntryFile(context, path, onEnd);
  return { file, source: path, sellerName, protestDocs: false };
}

/** Uses a job that this machine made of the same file before. @returns null if it was refused, or in a dry run */
export async function submit(
  context: Context,
  service: Service,
  attempts: Attempts,
  submission: Submission,
  options: LearnInvocation["options"],
): Promise<string | null> {
  const write = await describeSubmission(submission);
  const writes = await openLoggedWrites(context, service);
  const policy = { ...options, writes, onDuplicate: options.onDuplicate ?? "skip" };
  const result = await attempts.write(async () => {
    const made = await submitFile(context, service, submission, write, policy);
    if (made.outcome !== "accepted" && made.error) throw made.error;
    return made;
  });
  if (result?.outcome === "earlier") return result.jobId;
  if (result?.outcome !== "accepted") return null;
  const { error, jobId } = result;
  if (jobId !== null) printMessage(context, `job ${jobId}`, { jobId });
  // The other requests would go to the other environment, too.
  if (jobId !== null && error) throw error;
  attempts.refusal ??= error ?? undefined;
  return jobId;
}

/** Polls a job until it ends or the time is over; the reads of its results show what an unfinished job has. */
export async function waitForJob(
  context: Context,
  service: Service,
  jobId: string,
  timeout: number | undefined,
): Promise<string> {
  const { seen } = await waitForEnd(context, service, {
    what: "the job",
    ask: createEndWatch(service, jobId),
    timeout,
    describe: ({ state }) => state,
  });
  await logJobState(context, service, jobId, seen.state);
  if (!seen.ended && categorizeState(seen.state) === "pending")
    printMessage(context, `job ${jobId} is still ${seen.state}; its results are read as they are`);
  return seen.state;
}

export async function resumeJob(context: Context, service: Service, attempts: Attempts, jobId: string) {
  const response = await attempts.write(() => sendResume(context, service, jobId));
  return response !== undefined;
}

export async function sendTestEvent(context: Context, service: Service, attempts: Attempts): Promise<void> {
  const { test: operation } = service.operations.webhooks;
  const json = { eventType: "partner.test", environment: "sandbox" } as const;
  const write = describeJsonWrite(operation.id, json);
  await attempts.write(() =>
    sendLogged(context, service, write, {}, (idempotencyKey) =>
      service.client.send(operation, { json, idempotencyKey }),
    ),
  );
}
