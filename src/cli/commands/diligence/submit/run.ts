import type { ClaimsError } from "../../../../domain/errors.ts";
import { formatCount, formatMebibytes } from "../../../../domain/numbers.ts";
import { confirmProductionWrite, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { confirm } from "../../../framework/prompts.ts";
import { requireContractFields } from "../../../framework/response-fields.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteResult } from "../../../write-log/perform-write.ts";
import { openLoggedWrites } from "../../../write-log/send-logged.ts";
import type { SubmissionInput } from "../assess-file.ts";
import { openEntryFile } from "../entry-file.ts";
import { followJob, renderFollowedJob } from "../follow.ts";
import { fetchJob, readWrittenJob } from "../job.ts";
import { renderJob } from "../job-card.ts";
import { requireWait } from "../options.ts";
import { submitFile } from "../submission.ts";
import type { SubmitInvocation } from "./submit.ts";

export async function runSubmit(context: Context, call: SubmitInvocation): Promise<Output> {
  const { args, global, onEnd, options } = call;
  // A sandbox that stops with this command would lose the job.
  const waits = options.wait === true || global.sandbox === true;
  requireWait(options.failOn, waits);
  const file = await openEntryFile(context, args.file, onEnd);
  const { protestDocs = false, sellerName } = options;
  const submission = { file, source: args.file, sellerName, protestDocs };
  const service = await openService(context, call, { retryForMs: options.retryFor });
  const { status, submit: operation } = service.operations.diligence;
  // The report of another service may have any field, and can be read again.
  if (!waits) requireContractFields(global.fields, operation, status);
  const { error, jobId, outcome, response } = await sendFile(context, call, service, submission);
  // A forgotten write has no job that could be shown.
  if (outcome === "forgotten") return { kind: "nothing" };
  if (jobId === null && response !== null) return showWithoutJob(response.body, error);
  if (jobId === null || (response === null && error !== null)) throw error;
  printMessage(context, `job ${jobId}`, { jobId });
  if (waits && error === null) {
    const sent = { bytes: file.size, fileName: file.name, isFromThisRun: response !== null };
    const followed = await followJob(context, service, global, jobId, { ...options, sent });
    return renderFollowedJob(context, global, followed);
  }
  const job = response === null ? await fetchJob(service, jobId) : readWrittenJob(context, jobId, response);
  return renderJob(job, error ?? undefined);
}

/** Sends the file, unless it was sent before, with the questions and the progress that a person sees. */
async function sendFile(
  context: Context,
  { global, options }: SubmitInvocation,
  service: Service,
  submission: SubmissionInput,
): Promise<WriteResult> {
  const { displayName, size } = submission.file;
  let progress: ReturnType<typeof startProgress> | undefined;
  let entries: number | null = null;
  return submitFile(context, service, submission, {
    ...options,
    isVerbose: global.verbose,
    onDuplicate: options.onDuplicate ?? (global.yes ? "fail" : "ask"),
    writes: await openLoggedWrites(context, service),
    askToRepeat: (question) => confirm(context, global, question),
    onEntries: (count) => {
      entries = count;
    },
    confirm: () => confirmProductionWrite(context, global, service, describeSending(submission, entries)),
    // Not before: a question may come first.
    onProgress: (sentBytes) => {
      progress ??= startProgress(context.stderr, `sending ${displayName}`);
      progress.update(`sending ${formatMebibytes(sentBytes)} of ${formatMebibytes(size)}`);
    },
  }).finally(() => progress?.stop());
}

/** The response to an accepted submission, in which no job id was found. */
function showWithoutJob(body: Buffer, error: ClaimsError | null): Output {
  const lines = body.toString("utf8").split("\n");
  return { kind: "record", json: body, blocks: [{ kind: "paragraph", lines }], failure: error ?? undefined };
}

/** For a question: `submit e.csv (seller Acme, 20 entries)`. */
function describeSending({ file, sellerName }: SubmissionInput, entries: number | null): string {
  const count = entries === null ? "" : `, ${formatCount(entries, "entry", "entries")}`;
  return `submit ${file.displayName} (seller ${sellerName}${count})`;
}
