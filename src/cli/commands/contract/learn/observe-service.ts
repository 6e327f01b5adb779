import { DryRun, type DryRunRequest } from "../../../../client/dry-run.ts";
import type { Evidence } from "../../../../contract/service-form/evidence.ts";
import type { createLearner } from "../../../../contract/service-form/learn/learner.ts";
import { categorizeState } from "../../../../domain/diligence/states.ts";
import { ClaimsError, credentialError, interruptedError } from "../../../../domain/errors.ts";
import { openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { LearnInvocation } from "./learn.ts";
import { ServiceReader } from "./read-service.ts";
import {
  openSubmission,
  resumeJob,
  type Submission,
  sendTestEvent,
  submit,
  waitForJob,
} from "./write-service.ts";

export interface RunResult {
  readonly interruption: ClaimsError | undefined;
  /** The refusal of a write; the rest of the run went on. */
  readonly refusal: ClaimsError | undefined;
  readonly requests: readonly DryRunRequest[];
}

/** @param earlier what an earlier run of the same file learned; if it ended early, its requests are not repeated */
export async function observeService(
  context: Context,
  call: LearnInvocation,
  learner: ReturnType<typeof createLearner>,
  earlier: Evidence | undefined,
): Promise<RunResult> {
  const { submit: paths = [], sellerName = "" } = call.options;
  const submissions: Submission[] = [];
  for (const path of paths) submissions.push(await openSubmission(context, call, path, sellerName));
  // Without a job to wait for, --timeout limits each request.
  const requestTimeout = paths.length === 0 ? call.global.timeout : undefined;
  for (const { file, sellerName: seller } of submissions) {
    learner.addKnown("sellerName", seller);
    learner.addKnown("fileName", file.name);
    learner.addKnown("fileBytes", file.size);
  }
  const service = await openService(
    context,
    { ...call, requestTimeout },
    {
      onResponse: ({ method, path: target }, { status, headers, body }) =>
        learner.add({
          method,
          path: target,
          status,
          headers: Object.entries(headers),
          body: body?.toString("utf8") ?? "",
          at: context.now(),
        }),
    },
  );
  requireConfirmation(call, service);
  const attempts = new Attempts();
  const reader = new ServiceReader(service, attempts, earlier?.isPartial ? earlier.responses : []);
  let interruption: ClaimsError | undefined;
  try {
    await observe(context, call, service, attempts, reader, submissions);
  } catch (error) {
    if (!(error instanceof ClaimsError) && !context.signal.aborted) throw error;
    interruption = error instanceof ClaimsError ? error : interruptedError(error);
  }
  return { interruption, refusal: attempts.refusal, requests: attempts.requests };
}

async function observe(
  context: Context,
  { global, options }: LearnInvocation,
  service: Service,
  attempts: Attempts,
  reader: ServiceReader,
  submissions: readonly Submission[],
): Promise<void> {
  await reader.readContract();
  const submitted: string[] = [];
  for (const submission of submissions)
    submitted.push(
      ...[await submit(context, service, attempts, submission, options)].flatMap((id) => id ?? []),
    );
  if (options.testEvent && !reader.isKnown(service.operations.webhooks.test))
    await sendTestEvent(context, service, attempts);
  await reader.readLists();
  const found = await reader.readClaims();
  for (const jobId of submitted)
    await followSubmission(context, { global, options }, service, attempts, reader, jobId);
  if (submitted.length > 0) return;
  const jobId = options.job ?? found;
  if (service.isDryRun && jobId === null)
    printMessage(
      context,
      "then other pages of the lists, the status of the first claim, and the three reads of a job",
    );
  else if (jobId === null) printMessage(context, "no job is known: give --job to learn from one");
  if (jobId === null) return;
  if (!reader.isKnown(service.operations.diligence.status)) await reader.readStatus(jobId);
  await reader.readResults(jobId);
}

async function followSubmission(
  context: Context,
  { global, options }: Pick<LearnInvocation, "global" | "options">,
  service: Service,
  attempts: Attempts,
  reader: ServiceReader,
  jobId: string,
): Promise<void> {
  await reader.readReport(jobId);
  const state = await waitForJob(context, service, jobId, global.timeout);
  const isPartial = options.resume === true && categorizeState(state) === "partial";
  // After the resume, nothing shows that the job had ended before.
  if (isPartial) await reader.readReport(jobId);
  if (isPartial && (await resumeJob(context, service, attempts, jobId)))
    await waitForJob(context, service, jobId, global.timeout);
  await reader.readStatus(jobId);
  await reader.readResults(jobId);
}

/** @throws ClaimsError `production_not_confirmed` */
function requireConfirmation({ global, options }: LearnInvocation, { connection, isDryRun }: Service): void {
  const { baseUrl, environment } = connection;
  if (environment !== "production" || isDryRun) return;
  const writes = options.submit !== undefined || options.testEvent === true;
  if (options.yes && (!writes || global.environment === "production")) return;
  throw credentialError(
    "production_not_confirmed",
    `this ${writes ? "writes to" : "reads"} PRODUCTION (${baseUrl})`,
    {
      hint: writes
        ? "give --environment production and --yes to write to it"
        : "give --yes to read it; nothing is written",
    },
  );
}

const FINAL_STATUSES: readonly number[] = [401, 429, 503];

/** Whether the service responded to a request, so that others can show more. */
const isAnswer = (error: unknown): error is ClaimsError =>
  error instanceof ClaimsError && (error.code === "response_too_large" || isRefusal(error));

const isRefusal = (error: ClaimsError): boolean =>
  error.code !== "outcome_unknown" &&
  error.status !== undefined &&
  error.status >= 400 &&
  !FINAL_STATUSES.includes(error.status);

/** Requests of one run. A refusal is a response to learn from; after another error, the rest would fail too. */
export class Attempts {
  /** What a dry run would send. */
  readonly requests: DryRunRequest[] = [];
  /** The first refusal of a write. */
  refusal: ClaimsError | undefined;

  /** Undefined for a refusal, and in a dry run. */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DryRun) this.requests.push(error.request);
      else if (!isAnswer(error)) throw error;
      return undefined;
    }
  }

  /** The same, and the run ends with the refusal. */
  write<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.read(() =>
      work().catch((error: unknown) => {
        if (isAnswer(error)) this.refusal ??= error;
        throw error;
      }),
    );
  }
}
