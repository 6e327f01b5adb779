import type { ApiResponse } from "../../../client/http/response.ts";
import { type JobProgress, readJobFields, readJobId, readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { FILE_ERROR_CODES } from "../../../domain/entries/entry-file-error.ts";
import {
  ClaimsError,
  rejectedError,
  rephraseError,
  usageError,
  verificationError,
} from "../../../domain/errors.ts";
import { findShallowest, isRecord, parseJsonText, valueAt } from "../../../domain/json.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { parseRecord, toRecord, tryParseJson } from "../../connection/json-response.ts";
import { fetchRecord } from "../../connection/record-environment.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { readIds } from "../../files/input-file.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { type Block, type ListColumn, type Output, toListOutput } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import { completeId } from "../../records/complete-id.ts";
import { describeJsonWrite } from "../../write-log/describe-write.ts";
import { findLastJob } from "../../write-log/job-log.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import type { WriteOptions } from "../../write-log/write-options.ts";

export interface JobResponse {
  readonly id: string;
  readonly body: Buffer;
  readonly record: unknown;
  /** Decides the exit code, although the response is printed. */
  readonly failure?: ClaimsError | undefined;
}

export interface ReportResponse extends JobResponse {
  readonly headers: ApiResponse["headers"];
}

export interface JobView extends JobResponse {
  readonly seen: JobProgress;
}

/** The bytes of the service for programs, and blocks for a person. */
export const toJobOutput = (
  { id, body, record, failure }: JobResponse,
  blocks: readonly Block[],
): Output => ({ kind: "record", json: body, record, id, blocks, failure });

/** Without a title, the last part of the path is the heading. */
export const column = (path: string, style: Partial<ListColumn<JobResponse>>): ListColumn<JobResponse> => ({
  name: path,
  title: path.split(".").at(-1) ?? path,
  ...style,
  value: ({ record }) => valueAt(record, path),
});

export const JOB_COLUMNS: readonly ListColumn<JobResponse>[] = [
  { name: "state", value: ({ record }) => readJobProgress(record).state },
  {
    name: "progress.rowsProcessed",
    title: "rows",
    align: "right",
    value: ({ record }) => readJobProgress(record).rowsProcessed,
  },
  column("fileName", { title: "file" }),
  column("failure.code", { title: "failure", isWhole: true, isOptional: true }),
  column("sellerName", { title: "seller", isWhole: true }),
];

/** The job in the response of a write. The interface (§4) does not show its fields, so it may have none. */
export function readWrittenJob(context: Context, id: string, response: ApiResponse): JobView {
  const value = tryParseJson(response);
  const record = isRecord(value) ? toRecord(response, value) : {};
  if (Object.keys(record).length === 0)
    printMessage(context, `the service accepted the request for job ${id}, but its response has no fields`);
  const body = value === undefined ? Buffer.alloc(0) : response.body;
  return { id, body, record, seen: readJobProgress(record) };
}

/** @throws ClaimsError if the response is not a JSON object, another job, or a job of the other environment */
export const fetchJob = (service: Service, id: string): Promise<JobView> =>
  addJobId(id, async () => {
    const { status } = service.operations.diligence;
    const job = await fetchRecord(service, status, { params: { jobId: id } }, `job ${id}`);
    requireSameJob(id, readJobId(job.record), "the status");
    return { id, ...job, seen: readJobProgress(job.record) };
  });

/** @throws ClaimsError if the response is not a report (each has an rf8Review: interface §4), or is of another job */
export const fetchReport = ({ client, operations }: Service, id: string): Promise<ReportResponse> =>
  addJobId(id, async () => {
    const response = await client.send(operations.diligence.report, { params: { jobId: id } });
    const { body, headers, status } = response;
    requireReady(response, id, "the report");
    const record = parseRecord(response, `the report of job ${id}`);
    requireSameJob(id, readJobId(record), "the report");
    // The name is documented, and its depth is not.
    const rf8Review = findShallowest(record, "rf8Review") ?? null;
    if (rf8Review !== null) return { id, body, headers, record: { ...record, rf8Review } };
    throw rejectedError("response_incomplete", `the report of job ${id} has no rf8Review`, {
      status,
      hint: "it may not be ready; `claims api GET` shows the response",
    });
  });

/** A service that still makes a document may answer 202. @throws ClaimsError `still_pending` */
export function requireReady({ status }: Pick<ApiResponse, "status">, id: string, what: string): void {
  if (status === 202) throw notReadyError(id, what, status, "202 Accepted");
}

export const notReadyError = (id: string, what: string, status: number | undefined, reason = "no reason") =>
  new ClaimsError("pending", "still_pending", `${what} of job ${id} is not ready (${reason})`, {
    jobId: id,
    status,
    hint: "try again later",
    retryable: true,
  });

/** @param jobId that of a document; null if it names none: it is then taken for that of the job. @throws ClaimsError `wrong_job` */
export function requireSameJob(id: string, jobId: string | null, what: string): void {
  if (jobId === null || jobId.toLowerCase() === id.toLowerCase()) return;
  throw verificationError("wrong_job", `${what} is of job ${jobId}, not of job ${id}`, {
    jobId: id,
    hint: "ask the operator of the service; `claims api GET` shows the response",
  });
}

export interface SentFile {
  readonly bytes: number;
  readonly fileName: string;
  /** Whether the service accepted it in this run. In an earlier one, the file may have had another name. */
  readonly isFromThisRun: boolean;
}

/** An id may belong to a job of another state of the service. Both fields are assumed, so that they only warn. */
export function warnAboutOtherFile(context: Context, { id, record }: JobView, sent: SentFile | null): void {
  if (sent === null) return;
  const { fileBytes, fileName } = readJobFields(record);
  const isOtherName = typeof fileName === "string" && fileName !== sent.fileName;
  const isOtherSize = typeof fileBytes === "number" && fileBytes !== sent.bytes;
  const isOtherFile = sent.isFromThisRun ? isOtherName || isOtherSize : isOtherName && isOtherSize;
  if (!isOtherFile) return;
  const [theirs, ours] = [describeFile(fileName, fileBytes), describeFile(sent.fileName, sent.bytes)];
  printMessage(context, `warning: job ${id} is about ${theirs}, and ${ours} was sent`);
}

const describeFile = (name: unknown, bytes: unknown): string =>
  (typeof name === "string" ? name : "a file") +
  (typeof bytes === "number" ? ` of ${formatCount(bytes, "byte")}` : "");

async function addJobId<T>(jobId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClaimsError ? rephraseError(error, { jobId }) : error;
  }
}

export function stillPendingError({ id, seen }: JobView, waitedMs?: number): ClaimsError {
  const duration = waitedMs === undefined ? "" : ` after ${waitedMs / 1000} s`;
  const wait = `claims diligence wait ${quoteId(id)}`;
  const isShown = seen.state !== "unknown";
  const message = isShown
    ? `job ${id} is still ${seen.state}${duration}`
    : `job ${id} has not ended${duration}; its response shows no state`;
  return new ClaimsError("pending", "still_pending", message, {
    hint: isShown ? wait : `\`${wait}\`, or say where its state is: ${STATE_PATH_HINT}`,
    jobId: id,
    retryable: true,
  });
}

/** The report proves the end, and the word of the state is at no place that is known. */
export const unknownStateError = ({ id, seen: { state } }: JobView): ClaimsError =>
  new ClaimsError(
    "unfinished_job",
    "job_state_unknown",
    `the job has ended; its state${state === "unknown" ? "" : ` ${JSON.stringify(state)}`} is not known`,
    { jobId: id, hint: stateHint(state) },
  );

const STATE_PATH_HINT = "`claims mapping learn --set job.state=PATH`";

/** How to say what the word of a job that has ended means, or where the word is. */
const stateHint = (state: string): string =>
  state === "unknown" ? `${STATE_PATH_HINT} says where the state is` : describeWord(state);

/** Words of an end without success. */
const BAD_END =
  /abort|cancel|declin|denied|error|exception|expire|fail|incomplete|invalid|kill|\bno|part|reject|refus|revok|stop|terminat|timed?.?out|warn|with/i;

/** Proposes no success for a word that may say the opposite. */
function describeWord(state: string): string {
  const meaning = BAD_END.test(state) ? "failed" : "completed";
  const line = `\`claims mapping learn --set 'job.words=${JSON.stringify({ [state]: meaning })}'\``;
  return `${line} says that it means ${meaning}${meaning === "failed" ? " (or write partial)" : ""}`;
}

/** Why a job failed, as far as the service says so. */
export function readFailure(record: unknown) {
  const { failure } = readJobFields(record);
  const { code, detail, line } = isRecord(failure) ? failure : {};
  return {
    code: typeof code === "string" && code !== "" ? code : null,
    detail: typeof detail === "string" && detail !== "" ? detail : null,
    line: typeof line === "number" ? line : null,
  };
}

/** The failure of a job that ended partial or failed, with the service's reason if it gives one. */
export function unfinishedJobError({ id, record, seen }: JobView): ClaimsError {
  const { code, detail } = readFailure(record);
  const reason = [code, detail].filter((part) => part !== null).join(": ");
  const message = `job ${id} ended ${seen.state}${reason && ` (${reason})`}`;
  return new ClaimsError("unfinished_job", `job_${categorizeState(seen.state)}`, message, {
    jobId: id,
    hint: hasFileError(record)
      ? "fix the file and submit it again; check it offline with `claims diligence check FILE`"
      : `claims diligence resume ${quoteId(id)} --wait`,
  });
}

/** A resume would read the same file again. */
const hasFileError = (record: unknown): boolean =>
  (FILE_ERROR_CODES as readonly unknown[]).includes(readFailure(record).code);

/** Whether the job ended partial, or failed for another reason than its file. */
export function isResumable({ record, seen }: Pick<JobView, "record" | "seen">): boolean {
  const state = categorizeState(seen.state);
  return (state === "partial" || state === "failed") && !hasFileError(record);
}

/** The interface (§7) does not say which status and code mean "not yet", so the state of the job explains a refusal. */
export async function explainRefusal<T>(service: Service, id: string, request: Promise<T>): Promise<T> {
  try {
    return await addJobId(id, () => request);
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind !== "rejected" || !error.status) throw error;
    const job = await fetchJob(service, id);
    const state = categorizeState(job.seen.state);
    if (state === "pending") throw stillPendingError(job);
    throw state === "failed" ? unfinishedJobError(job) : error;
  }
}

/** A command line names jobs by ids, by `-` for ids on stdin, or by `--last`. */
interface JobsInvocation extends BaseInvocation {
  readonly args: { readonly job?: string | undefined; readonly jobs?: readonly string[] };
  readonly options: { readonly last: boolean | undefined };
}

export async function openJob(context: Context, call: JobsInvocation) {
  const { service, ids } = await openJobs(context, call);
  const [id = "", ...others] = ids;
  if (others.length === 0) return { service, id };
  throw usageError("option_conflict", `expected one job id; got ${ids.length}`, {
    hint: "run it once for each id: `… | xargs -n 1 claims diligence …`",
  });
}

async function openJobs(context: Context, call: JobsInvocation) {
  const { job, jobs = job === undefined ? [] : [job] } = call.args;
  const { last = false } = call.options;
  if (last === jobs.length > 0) {
    const message = last ? "--last and a job id exclude each other" : "missing job id";
    throw usageError(last ? "option_conflict" : "missing_option", message, {
      hint: "give a job id, - for ids on stdin, or --last for the last job submitted here",
    });
  }
  const hint = "pipe ids in: `claims history --submissions -q | claims diligence status -`";
  const { service, ids } = await openGivenJobs(context, call, jobs, hint);
  return { service, ids: last ? [await findLastJob(context, service)] : ids };
}

/** Reads the ids that words name, before it opens the service. A command that only reads takes the starts of ids. */
export async function openGivenJobs(
  context: Context,
  call: BaseInvocation,
  words: readonly string[],
  hint: string,
) {
  const given = await readIds(context, words, hint);
  const service = await openService(context, call);
  const complete = (word: string) => completeId(context, service, "job", word);
  return { service, ids: call.remote === "reads" ? await Promise.all(given.map(complete)) : given };
}

/** A job as the only output, and as an item of a list. */
interface ShownJob {
  readonly item: JobResponse;
  render(): Output;
}

/** Prints one job as a record, unless --csv or --ndjson asks for a list. A job that fails does not stop the others. */
export async function showJobs(
  context: Context,
  call: JobsInvocation,
  columns: readonly ListColumn<JobResponse>[],
  fetch: (service: Service, id: string) => Promise<ShownJob>,
): Promise<Output> {
  const { service, ids } = await openJobs(context, call);
  const [first] = ids;
  if (first !== undefined && ids.length === 1 && !call.global.csv && !call.global.ndjson)
    return (await fetch(service, first)).render();
  const failures: ClaimsError[] = [];
  async function* items(): AsyncGenerator<JobResponse> {
    for (const id of ids) {
      const shown = await handleFailure(fetch(service, id), (failure) => ({ item: null, failure }));
      const failure = shown.item ? shown.item.failure : shown.failure;
      if (failure) failures.push(failure);
      if (shown.item) yield shown.item;
    }
  }
  return toListOutput({
    items: items(),
    columns: [{ name: "jobId", title: "job", isId: true, value: ({ id }) => id }, ...columns],
    toRecord: ({ record }) => record,
    toSent: ({ body }) => parseJsonText(body.toString("utf8")),
    toJson: ({ body }) =>
      body.includes("\n") ? JSON.stringify(parseJsonText(body.toString("utf8"))) : body.toString("utf8"),
    emptyMessage: "no jobs",
    failure: () => aggregateErrors(failures, `${ids.length} jobs`),
  });
}

export async function sendResume(context: Context, service: Service, id: string, options: WriteOptions = {}) {
  const { client, operations } = service;
  const { resume: operation } = operations.diligence;
  const params = { jobId: id };
  const write = { ...describeJsonWrite(operation.id, undefined, params), jobId: id };
  const send = (idempotencyKey: string) => client.send(operation, { params, idempotencyKey });
  return addJobId(id, () => sendLogged(context, service, write, options, send));
}
