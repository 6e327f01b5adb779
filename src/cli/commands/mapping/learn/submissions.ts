import {
  couldBeId,
  findPlaceOf,
  listLeaves,
  makeUnknownId,
  rankId,
} from "../../../../contract/mapping/leaves.ts";
import { type ReceivedResponse, readSubmittedId } from "../../../../contract/mapping/read.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { timeToDay } from "../../../../domain/entries/dates.ts";
import { groupBy } from "../../../../domain/group-by.ts";
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
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type ServiceReads, toObservation } from "./service-reads.ts";

/** A submission of this run, or of an earlier one. */
interface Submission {
  /** As the user named it. */
  readonly file: string;
  /** The key of its write. */
  readonly key: string | null;
  /** As the client reads it without a mapping. */
  readonly jobId: string | null;
  /** Null if it was sent in an earlier run, which did not keep it. */
  readonly response: ReceivedResponse | null;
  /** Whether `diligence check` finds no fault in the file. */
  readonly isClean: boolean;
  /** Leaves out what the request itself had. */
  removeSent(ids: readonly SubmittedId[]): Promise<readonly SubmittedId[]>;
}

/** Submits each file of `--submit`, unless it was submitted before, and reads each response of `--response`. */
export async function collectSubmissions(
  context: Context,
  call: LearnInvocation,
  service: Service,
): Promise<readonly Submission[]> {
  const { response = [], submit = [] } = call.options;
  const sellerName = submit.length === 0 ? "" : await chooseSellerName(context, call);
  const files: InputFile[] = [];
  for (const path of submit) files.push(await openEntryFile(context, path, call.onEnd));
  const submissions: Submission[] = [];
  for (const file of files) submissions.push(await submitOne(context, call, service, file, sellerName));
  for (const file of response)
    submissions.push({ ...SAVED, file, response: await readSavedResponse(context, file) });
  return submissions;
}

const SAVED = {
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
): Promise<Submission> {
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
  const { key, jobId, outcome } = result;
  if (jobId !== null) printMessage(context, `job ${jobId}`, { jobId });
  return {
    file: file.name,
    key,
    jobId,
    response:
      outcome === "accepted" ? toObservation(result.response) : await readEarlierResponse(context, key),
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
async function readEarlierResponse(context: Context, key: string): Promise<ReceivedResponse | null> {
  const records = toWriteRecords(await openWriteLog(context).read(key));
  const path = records.findLast((record) => record.key === key)?.responseFile;
  return path === undefined ? null : readSavedResponse(context, path);
}

interface SubmittedId {
  /** A path, or `header:Location`. */
  readonly place: string;
  readonly id: string;
}

const LOCATION = "header:Location";

const SECRET_NAMES = /secret|token|password|signature/i;

/** The values of the response to a submission that could be the id of the job, each at its first place, the likely ones first. */
export function findSubmittedIds(response: ReceivedResponse): readonly SubmittedId[] {
  const all = listLeaves(response.json)
    .filter(({ path, value }) => couldBeId(value) && !SECRET_NAMES.test(path))
    .map(({ path, value }) => ({ place: path, id: String(value) }));
  const segment = readSubmittedId(LOCATION, response);
  if (segment !== null) all.push({ place: LOCATION, id: segment });
  const firstPlaces = [...groupBy(all, ({ id }) => id.toLowerCase()).values()].flatMap(
    ([first]) => first ?? [],
  );
  return firstPlaces.toSorted((one, other) => rankId(one.id) - rankId(other.id));
}

/** Each candidate costs a request. */
const MAX_CANDIDATES = 5;

/** The id of each job that was submitted, by the line `submitted.id`; null where it is not known. */
export async function learnSubmittedId(
  reads: ServiceReads,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<readonly (string | null)[]> {
  for (const { file, response, removeSent } of submissions) {
    if (lines.get("submitted.id") !== undefined) break;
    if (response === null) continue;
    const candidates = (await removeSent(findSubmittedIds(response))).slice(0, MAX_CANDIDATES);
    const proved = await readBack(reads, candidates);
    const isProved = proved.length === 1;
    await lines.settle(
      "submitted.id",
      `Which of these is the id of the job of ${file}?`,
      (isProved ? proved : candidates).map(({ id, place }) => ({ value: place, shows: id })),
      isProved,
    );
  }
  const line = lines.get("submitted.id");
  return submissions.map(({ jobId, response }) =>
    response !== null && typeof line === "string" ? readSubmittedId(line, response) : jobId,
  );
}

/** The candidates whose job can be read. A service that responds with 200 to any id proves only what its response has. */
async function readBack(
  reads: ServiceReads,
  candidates: readonly SubmittedId[],
): Promise<readonly SubmittedId[]> {
  const [first] = candidates;
  if (!first) return [];
  const read = (jobId: string) => reads.try({ operation: OPERATIONS.diligence.status, params: { jobId } });
  const isAnyRead = isSuccess(await read(makeUnknownId(first.id)));
  const proved: SubmittedId[] = [];
  for (const candidate of candidates) {
    const response = await read(candidate.id);
    if (isSuccess(response) && !(isAnyRead && findPlaceOf(response.json, candidate.id) === null))
      proved.push(candidate);
  }
  return proved;
}
