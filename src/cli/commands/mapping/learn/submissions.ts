import { couldBeId, findPathOf, isUuid, listLeaves, makeUnknownId } from "../../../../client/leaves.ts";
import { type ReceivedResponse, readSubmittedId } from "../../../../contract/mapping/read.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { groupBy } from "../../../../domain/group-by.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { InputFile } from "../../../files/input-file.ts";
import { prompt } from "../../../framework/prompts.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { WriteResult } from "../../../write-log/perform-write.ts";
import { readSavedResponse } from "../../../write-log/saved-response.ts";
import { openLoggedWrites } from "../../../write-log/send-logged.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { toWriteRecords } from "../../../write-log/write-records.ts";
import type { SubmissionInput } from "../../diligence/assess-file.ts";
import { assessFile } from "../../diligence/assess-file.ts";
import { openEntryFile } from "../../diligence/entry-file.ts";
import { removeSent, submitFile } from "../../diligence/submission.ts";
import type { LearnInvocation } from "./learn.ts";
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type ServiceReads, toObservation } from "./service-reads.ts";

/** A submission of this run, or of an earlier one. */
interface Submission {
  /** As the user named it. */
  readonly name: string;
  /** Null if it was sent in an earlier run, which did not keep it. */
  readonly response: ReceivedResponse | null;
  /** Null if only its response was given. */
  readonly sent: SentFile | null;
}

interface SentFile {
  readonly file: InputFile;
  readonly sellerName: string;
  /** The key of its write. */
  readonly key: string;
  /** As the client reads it without a mapping. */
  readonly jobId: string | null;
  /** Whether `diligence check` finds no fault in the file. */
  readonly isClean: boolean;
}

/** Submits each file of `--submit`, unless it was submitted before, and reads each response of `--response`. */
export async function collectSubmissions(
  context: Context,
  call: LearnInvocation,
  service: Service,
): Promise<readonly Submission[]> {
  const { response = [], sellerName, submit = [] } = call.options;
  const seller = { question: "Name of the seller", alternative: "give --seller-name NAME" };
  const name = submit.length === 0 ? "" : (sellerName ?? (await prompt(context, call.global, seller)));
  const files: InputFile[] = [];
  for (const path of submit) files.push(await openEntryFile(context, path, call.onEnd));
  const submissions: Submission[] = [];
  for (const file of files) submissions.push(await submitOne(context, call, service, file, name));
  for (const path of response)
    submissions.push({ name: path, response: await readSavedResponse(context, path), sent: null });
  return submissions;
}

async function submitOne(
  context: Context,
  call: LearnInvocation,
  service: Service,
  file: InputFile,
  sellerName: string,
): Promise<Submission> {
  const submission = { file, source: file.displayName, sellerName, protestDocs: false };
  const result = await submitFile(context, service, submission, {
    ...call.options,
    onDuplicate: call.options.onDuplicate ?? "skip",
    writes: await openLoggedWrites(context, service),
  });
  const { jobId, key, response: accepted } = requireAccepted(result);
  if (jobId !== null) printMessage(context, `job ${jobId}`, { jobId });
  const response = accepted ? toObservation(accepted) : await readEarlierResponse(context, key);
  const sent = { file, sellerName, key, jobId, isClean: await isClean(context, submission) };
  return { name: file.name, response, sent };
}

/** An accepted submission without a readable id is what this command is for. Any other fault ends it. */
function requireAccepted({ key, ...result }: WriteResult) {
  const isAccepted = ["accepted", "earlier", "forgotten"].includes(result.outcome);
  const isRead = result.error === null || result.error.code === "job_id_unknown";
  if (isAccepted && isRead && key !== null) return { ...result, key };
  throw result.error ?? new Error("not sent");
}

/** Whether `diligence check` finds no fault in the file. */
async function isClean(context: Context, submission: SubmissionInput): Promise<boolean> {
  const assessed = await assessFile(context, submission).catch(() => null);
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
  readonly locator: string;
  readonly id: string;
}

const LOCATION = "header:Location";

const SECRET_NAMES = /secret|token|password|signature/i;

/** The values of the response to a submission that could be the id of the job, each at its first place, the likely ones first. */
export function findSubmittedIds(response: ReceivedResponse): readonly SubmittedId[] {
  const all = listLeaves(response.json)
    .filter(({ path, value }) => couldBeId(value) && !SECRET_NAMES.test(path))
    .map(({ path, value }) => ({ locator: path, id: String(value) }));
  const segment = readSubmittedId(LOCATION, response);
  if (segment !== null) all.push({ locator: LOCATION, id: segment });
  // The less the value can be anything else, the earlier it is tried.
  const rank = ({ id }: SubmittedId) => (isUuid(id) ? 0 : id.length > 5 && /\D/.test(id) ? 1 : 2);
  return [...groupBy(all, ({ id }) => id.toLowerCase()).values()]
    .flatMap(([first]) => first ?? [])
    .toSorted((one, other) => rank(one) - rank(other));
}

/** Each candidate costs a request. */
const MAX_CANDIDATES = 5;

/** The submissions with the id of each job, by the line `submitted.id`; null where it is not known. */
export async function learnSubmittedId(
  reads: ServiceReads,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<readonly (Submission & { readonly jobId: string | null })[]> {
  if (lines.get("submitted.id") === undefined) await findSubmittedLine(reads, lines, submissions);
  else await checkSubmittedLine(reads, lines, submissions);
  return submissions.map((submission) => ({ ...submission, jobId: jobIdOf(lines, submission) }));
}

function jobIdOf(lines: LearnedLines, { response, sent }: Submission): string | null {
  const line = lines.get("submitted.id");
  const isRead = response !== null && typeof line === "string";
  return isRead ? readSubmittedId(line, response) : (sent?.jobId ?? null);
}

/** Proves the line by the first submission that can, and otherwise asks about the first one. */
async function findSubmittedLine(
  reads: ServiceReads,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<void> {
  const key = "submitted.id";
  const open: { readonly name: string; readonly ids: readonly SubmittedId[] }[] = [];
  for (const { name, response, sent } of submissions) {
    if (response === null) continue;
    const found = findSubmittedIds(response);
    const texts = sent ? [sent.sellerName, sent.file.name, sent.key] : [];
    const own = sent ? await removeSent(found, texts, sent.file) : found;
    const { proved, unread } = await readBack(reads, own.slice(0, MAX_CANDIDATES));
    const [only, ...others] = proved;
    if (only && others.length === 0) return lines.prove(key, only.locator);
    open.push({ name, ids: proved.length > 0 ? proved : unread });
  }
  const [first] = open;
  if (!first) return;
  const candidates = first.ids.map(({ id, locator }) => ({ line: locator, value: id }));
  if (candidates.length > 0)
    await lines.ask({ key, text: `Which of these is the id of the job of ${first.name}?`, candidates });
  else lines.leaveOut(key, `nothing in the response to ${first.name} is proved to be the id of its job`);
}

/** A line that was given is left out if the service knows no job by it. */
async function checkSubmittedLine(
  reads: ServiceReads,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<void> {
  const ids = submissions.flatMap((submission) => jobIdOf(lines, submission) ?? []);
  if (ids.length === 0) return;
  // One that is known is enough: the job of an older response may be gone.
  for (const id of ids) if ((await readStatus(reads, id)).status !== MISSING) return;
  const line = lines.findPath("submitted.id");
  lines.leaveOut("submitted.id", `the service answers the id at ${line} with ${MISSING}`);
}

const MISSING = 404;

const readStatus = (reads: ServiceReads, jobId: string) =>
  reads.read({ operation: OPERATIONS.diligence.status, params: { jobId } });

/**
 * The candidates whose job can be read, and those that the service does not deny. A service that responds with 200 to any id
 * proves only what its response has.
 */
async function readBack(reads: ServiceReads, candidates: readonly SubmittedId[]) {
  const proved: SubmittedId[] = [];
  const unread: SubmittedId[] = [];
  const [first] = candidates;
  if (!first) return { proved, unread };
  const read = (jobId: string) => reads.try({ operation: OPERATIONS.diligence.status, params: { jobId } });
  const isAnyRead = isSuccess(await read(makeUnknownId(first.id)));
  for (const candidate of candidates) {
    const response = await read(candidate.id);
    const isShown = !isAnyRead || findPathOf(response?.json, candidate.id) !== undefined;
    if (isSuccess(response) && isShown) proved.push(candidate);
    else if (response?.status !== MISSING) unread.push(candidate);
  }
  return { proved, unread };
}
