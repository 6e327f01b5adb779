import type { Observation } from "../../../../contract/mapping/learn/port.ts";
import type { Submission, SubmittedId } from "../../../../contract/mapping/learn/submitted-id.ts";
import { timeToDay } from "../../../../domain/entries/dates.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { InputFile } from "../../../files/input-file.ts";
import { prompt } from "../../../framework/prompts.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readSavedResponse } from "../../../write-log/saved-response.ts";
import { openLoggedWrites } from "../../../write-log/send-logged.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { toWriteRecords } from "../../../write-log/write-records.ts";
import { assessFile } from "../../diligence/assess-file.ts";
import { openEntryFile } from "../../diligence/entry-file.ts";
import { describeSubmission, removeSent, submitFile } from "../../diligence/submission.ts";
import type { LearnInvocation } from "./learn.ts";
import { toObservation } from "./service-port.ts";

/** A submission of this run, or of an earlier one, with the key of its write. */
export interface LoggedSubmission extends Submission {
  readonly key: string | null;
}

/** Submits each file of `--submit`, unless it was submitted before, and reads each response of `--response`. */
export async function collectSubmissions(
  context: Context,
  call: LearnInvocation,
  service: Service,
): Promise<readonly LoggedSubmission[]> {
  const { response = [], submit = [] } = call.options;
  const sellerName = submit.length === 0 ? "" : await chooseSellerName(context, call);
  const files: InputFile[] = [];
  for (const path of submit) files.push(await openEntryFile(context, path, call.onEnd));
  const submissions: LoggedSubmission[] = [];
  for (const file of files) submissions.push(await submitOne(context, call, service, file, sellerName));
  for (const path of response)
    submissions.push({ ...UNSENT, file: path, response: await readSavedResponse(context, path) });
  return submissions;
}

const UNSENT = {
  key: null,
  jobId: null,
  isClean: false,
  removeSent: async (ids: readonly SubmittedId[]) => ids,
};

const chooseSellerName = async (context: Context, { global, options }: LearnInvocation): Promise<string> =>
  options.sellerName ??
  (await prompt(context, global, { question: "Name of the seller", alternative: "give --seller-name NAME" }));

async function submitOne(
  context: Context,
  call: LearnInvocation,
  service: Service,
  file: InputFile,
  sellerName: string,
): Promise<LoggedSubmission> {
  const { options } = call;
  const submission = { file, source: file.displayName, sellerName, protestDocs: false };
  const write = await describeSubmission(submission);
  const result = await submitFile(context, service, submission, write, {
    ...options,
    onDuplicate: options.onDuplicate ?? "skip",
    writes: await openLoggedWrites(context, service),
  });
  // An accepted submission without a readable id is what this command is for.
  const isOpen = "error" in result && result.error?.code === "job_id_unknown";
  if (result.outcome !== "accepted" && result.outcome !== "earlier")
    throw result.error ?? new Error("not sent");
  if (result.error && !isOpen) throw result.error;
  const { key, jobId } = result;
  if (jobId !== null) printMessage(context, `job ${jobId}`, { jobId });
  return {
    file: file.name,
    key,
    jobId,
    response:
      result.outcome === "accepted"
        ? toObservation(result.response)
        : await readEarlierResponse(context, key),
    isClean: await isClean(context, file, sellerName),
    removeSent: (ids) => removeSent(ids, [sellerName, file.name, key].join("\n"), file),
  };
}

/** Whether `diligence check` finds no fault in the file. */
async function isClean(context: Context, file: InputFile, sellerName: string): Promise<boolean> {
  const asOf = timeToDay(context.now());
  const options = { asOf, sellerName, requiresProtestDocumentation: false };
  const assessed = await assessFile(context, file, options).catch(() => null);
  return assessed?.report.fileWarnings.length === 0 && assessed.report.totals.entriesRejected === 0;
}

/** The response that an earlier run saved because it could not read the id of the job; null if there is none. */
async function readEarlierResponse(context: Context, key: string): Promise<Observation | null> {
  const records = toWriteRecords(await openWriteLog(context).read(key));
  const path = records.findLast((record) => record.key === key)?.responseFile;
  return path === undefined ? null : readSavedResponse(context, path);
}
