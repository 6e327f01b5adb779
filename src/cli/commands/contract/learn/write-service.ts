import { categorizeState } from "../../../../domain/diligence/states.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { waitForEnd } from "../../../records/wait-for-end.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { findDuplicate, resolveDuplicate } from "../../../write-log/duplicates.ts";
import { logJobState } from "../../../write-log/job-log.ts";
import { readLoggedWrites, sendLogged } from "../../../write-log/send-logged.ts";
import { checkSubmission } from "../../diligence/check-submission.ts";
import { openEntryFile } from "../../diligence/entry-file.ts";
import { fetchJob } from "../../diligence/job.ts";
import { sendResume } from "../../diligence/send-resume.ts";
import { describeSubmission, noJobIdError, readJobId, sendSubmission } from "../../diligence/submission.ts";
import type { Attempts } from "./attempts.ts";
import type { LearnInvocation } from "./options.ts";

export type Submission = Awaited<ReturnType<typeof openSubmission>>;

/** Opens and checks the file before anything is sent. */
export async function openSubmission(
  context: Context,
  { onEnd }: Pick<LearnInvocation, "onEnd">,
  path: string,
  sellerName: string,
) {
  const { file, mapped } = await openEntryFile(context, path, onEnd, { mapping: null, fileName: undefined });
  const submission = { file, mapped, source: path, sellerName, protestDocs: false };
  await checkSubmission(context, submission, undefined);
  return submission;
}

/**
 * Submits a file once. A job that this machine made of the same file before is used instead, such as that of a run which
 * ended early.
 *
 * @returns the id of the job; null if the service refused the file, or in a dry run
 */
export async function submit(
  context: Context,
  service: Service,
  attempts: Attempts,
  submission: Submission,
): Promise<string | null> {
  const write = await describeSubmission(submission);
  const logged = await readLoggedWrites(context, service);
  const earlier = resolveDuplicate(context, "skip", write, findDuplicate(logged.records, write));
  if (earlier !== null) return earlier;
  const send = (idempotencyKey: string) => sendSubmission(service, submission, { idempotencyKey });
  const response = await attempts.write(() => sendLogged(context, service, write, send, logged));
  if (!response) return null;
  const id = readJobId(response);
  if (id === null) attempts.refusal ??= await noJobIdError(context, response, undefined);
  else printMessage(context, `job ${id}`, { jobId: id });
  return id;
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
    ask: () => fetchJob(service, jobId),
    timeout,
    describe: ({ state }) => state,
  });
  await logJobState(context, service, jobId, seen.state);
  if (categorizeState(seen.state) === "pending")
    printMessage(context, `job ${jobId} is still ${seen.state}; its results are read as they are`);
  return seen.state;
}

/** Resolves to whether the service resumed the job. */
export async function resumeJob(
  context: Context,
  service: Service,
  attempts: Attempts,
  jobId: string,
): Promise<boolean> {
  const response = await attempts.write(() => sendResume(context, service, jobId));
  return response !== undefined;
}

export async function sendTestEvent(context: Context, service: Service, attempts: Attempts): Promise<void> {
  const { test: operation } = service.operations.webhooks;
  const json = { eventType: "partner.test", environment: "sandbox" } as const;
  const write = await describeJsonWrite(operation.id, json);
  await attempts.write(() =>
    sendLogged(context, service, write, (idempotencyKey) =>
      service.client.send(operation, { json, idempotencyKey }),
    ),
  );
}
