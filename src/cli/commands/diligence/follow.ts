import { readMonotonic } from "../../../client/runtime.ts";
import { endOf, type JobProgress, readJobFields } from "../../../client/wait.ts";
import { categorizeState, isKnownState, type StateCategory } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError } from "../../../domain/errors.ts";
import { isRecord, valueAt } from "../../../domain/json.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { statedFailure } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import type { Output } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { DEFAULT_WAIT_MS, waitForEnd } from "../../records/wait-for-end.ts";
import { logJobState } from "../../write-log/job-log.ts";
import {
  fetchJob,
  fetchReport,
  type JobView,
  notReadyError,
  type ReportResponse,
  type SentFile,
  stillPendingError,
  toJobOutput,
  unfinishedJobError,
  unknownStateError,
  warnAboutOtherFile,
} from "./job.ts";
import { renderJob } from "./job-card.ts";
import { checkReport, type FailOn } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

/** The last record of a job, and its report if it has one. */
export interface FollowedJob {
  readonly job: JobView;
  readonly report: ReportResponse | null;
  readonly failure: ClaimsError | undefined;
  /** The end of the wait, in milliseconds of the monotonic clock. */
  readonly deadline: number;
}

/** Renders the report, or the job if it has none (product.md §3). */
export const renderFollowedJob = (
  context: Context,
  { verbose }: GlobalOptions,
  { job, report, failure }: FollowedJob,
): Output =>
  report === null
    ? renderJob(job, failure)
    : toJobOutput({ ...report, failure }, reportBlocks(report.record, context, verbose, job.id));

export async function followJob(
  context: Context,
  service: Service,
  { timeout = DEFAULT_WAIT_MS }: GlobalOptions,
  id: string,
  { failOn, sent = null }: { readonly failOn?: FailOn; readonly sent?: SentFile | null } = {},
): Promise<FollowedJob> {
  const start = readMonotonic(context);
  const deadline = start + timeout;
  const unknownUntil = sent?.isFromThisRun ? start + MAX_UNKNOWN_MS : start;
  const read = createJobReader(context, service, id, { timeout, deadline, unknownUntil });
  const ask = createEndWatch(service, id, () => read(() => fetchJob(service, id)));
  try {
    const wait = { what: "the job", ask, timeout, describe: createProgressText(context) };
    const job = await waitForEnd(context, service, wait);
    await logJobState(context, service, id, job.seen.state);
    warnAboutOtherFile(context, job, sent);
    const state = endOf(job.seen);
    const withoutReport = { job, report: null, deadline };
    if (state === "pending") return { ...withoutReport, failure: stillPendingError(job, timeout) };
    if (state === "failed") return { ...withoutReport, failure: unfinishedJobError(job) };
    const report = await waitForReport(context, service, id, deadline, () =>
      read(() => fetchReport(service, id)),
    );
    return { report, deadline, ...judgeEnd(job, state, report.record, failOn) };
  } catch (error) {
    throw explainInterruption(context, id, error);
  }
}

/**
 * The job as its report shows it, and the first failure that holds: the state is not known, the job is partial, its record has an
 * error, `--fail-on`.
 */
function judgeEnd(job: JobView, state: StateCategory | "unknown", report: unknown, failOn?: FailOn) {
  if (state === "unknown") return { job, failure: unknownStateError(job) };
  // A report of a partial job says so, and not every service has a state for it.
  if (state === "partial" || valueAt(report, "complete") === false) {
    const partialJob = { ...job, seen: { ...job.seen, state: "partial" } };
    return { job: state === "partial" ? job : partialJob, failure: unfinishedJobError(partialJob) };
  }
  const { error } = readJobFields(job.record);
  const failure = isRecord(error) ? statedFailure(`job ${job.id}`, error) : checkReport(report, failOn);
  return { job, failure: failure && rephraseError(failure, { jobId: job.id }) };
}

/** An interrupted wait, or one without a response, says how to go on: the job does. */
function explainInterruption({ signal }: Context, id: string, error: unknown): unknown {
  const resume = `claims diligence wait ${quoteId(id)}`;
  if (signal.aborted) {
    const details = { hint: resume, jobId: id, retryable: true, cause: error };
    return new ClaimsError(
      "interrupted",
      "interrupted",
      "interrupted; the job continues on the service",
      details,
    );
  }
  if (!(error instanceof ClaimsError) || error.kind !== "unreachable") return error;
  return rephraseError(error, { jobId: id, hint: `the job may continue; wait again with \`${resume}\`` });
}

/** A job may have completed before its report is there. A refusal with Retry-After asks to come again. */
async function waitForReport(
  context: Context,
  service: Service,
  id: string,
  deadline: number,
  readReport: () => Promise<ReportResponse>,
) {
  for (;;) {
    try {
      return await service.client.outages.retryThroughOutage(readReport, deadline);
    } catch (error) {
      const known: Partial<ClaimsError> = error instanceof ClaimsError ? error : {};
      const { code, kind, message, retryAfterMs, status } = known;
      const isConflict =
        status === 409 && (retryAfterMs !== undefined || NOT_READY.test(`${code} ${message}`));
      const pauseMs = retryAfterMs || PAUSE_MS;
      if (kind !== "pending" && !isConflict) throw error;
      if (readMonotonic(context) + pauseMs >= deadline)
        throw isConflict ? notReadyError(id, "the report", status, message) : error;
      await context.sleep(pauseMs, context.signal);
    }
  }
}

const PAUSE_MS = 1_000;

/** Of the code or the message of a 409. */
const NOT_READY =
  /not[ _-]?(yet[ _-]?)?(ready|available|complete|finished)|(still|being) (processed|processing|generated)/i;

/**
 * A service may know a new job only after a while, if several of its machines have a copy of its data: one may know it before
 * another. Later than this, a 404 ends the wait like any other 4xx (product.md §4, *Waiting*).
 */
const MAX_UNKNOWN_MS = 30_000;

/** Repeats a read of a job that is new while the service responds to it with 404. A sandbox knows its jobs at once. */
function createJobReader(
  context: Context,
  service: Service,
  id: string,
  limits: Readonly<Record<"timeout" | "deadline" | "unknownUntil", number>>,
) {
  return async <T>(read: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const isMissing = error instanceof ClaimsError && error.status === 404;
        const isNew = isMissing && readMonotonic(context) < limits.unknownUntil;
        if (!isNew || (await service.findSandboxState()) !== null) throw error;
        if (readMonotonic(context) + PAUSE_MS >= limits.deadline) throw notKnownYetError(id, limits.timeout);
        await context.sleep(PAUSE_MS, context.signal);
      }
    }
  };
}

const notKnownYetError = (id: string, waitedMs: number): ClaimsError =>
  new ClaimsError(
    "pending",
    "still_pending",
    `the service has not known job ${id} so far (404), for ${waitedMs / 1000} s`,
    {
      jobId: id,
      status: 404,
      retryable: true,
      hint: `wait again with \`claims diligence wait ${quoteId(id)}\`; if that exits 3, its id may be elsewhere in the response to the submission (--job-id-path)`,
    },
  );

/** `processing: 1,200 of 5,000 rows, 24 %, 350 rows/s`. The rate is that since the first poll. */
function createProgressText({ now }: Pick<Context, "now">): (job: JobProgress) => string {
  let first: { readonly at: number; readonly rows: number } | null = null;
  return ({ state, rowsProcessed, rowsTotal }) => {
    if (!rowsProcessed) return state;
    first ??= { at: now(), rows: rowsProcessed };
    const seconds = (now() - first.at) / 1_000;
    const rate = seconds > 0 ? Math.round((rowsProcessed - first.rows) / seconds) : 0;
    const speed = rate > 0 ? `, ${formatThousands(rate)} rows/s` : "";
    const rows = formatCount(rowsTotal ?? rowsProcessed, "row");
    if (!rowsTotal) return `${state}: ${rows}${speed}`;
    const percent = Math.floor((100 * rowsProcessed) / rowsTotal);
    return `${state}: ${formatThousands(rowsProcessed)} of ${rows}, ${percent} %${speed}`;
  };
}

/**
 * Polls a job whose state may have any word at any place. A documented word at the one place that changed between polls ends
 * it; a report with `rf8Review` proves that it has ended once its state has not changed for three polls (product.md §10, *The
 * end of a job*).
 */
function createEndWatch(
  service: Service,
  id: string,
  readJob: () => Promise<JobView>,
): () => Promise<JobView> {
  const records: unknown[] = [];
  let last = "";
  let count = 0;
  return async () => {
    const job = await readJob();
    const { state } = job.seen;
    if (isKnownState(state) || categorizeState(state) !== "pending") return job;
    records.push(job.record);
    count = state === last ? count + 1 : 1;
    last = state;
    const found = state === "unknown" ? ((await findState(records)) ?? state) : state;
    const category = categorizeState(found);
    const isEnd = category === "partial" || category === "failed";
    if (!isEnd && (count % POLLS_OF_AN_END > 0 || !(await hasReport(service, id)))) return job;
    return {
      ...job,
      seen: { ...job.seen, state: found, ended: category === "pending" ? "unknown" : category },
    };
  };
}

/** A job with a report has ended once its state has stayed the same for so many polls. */
const POLLS_OF_AN_END = 3;

const isPhrase = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z]{1,20}(?:[ _-][a-z]{1,20}){0,3}$/i.test(value);

/** The last word of the state, if the records of one job prove its place. */
async function findState(records: readonly unknown[]): Promise<string | undefined> {
  const { findStateCandidates, proveState } = await import("../../../client/job-state.ts");
  const state = proveState(findStateCandidates([{ documents: records }], isPhrase));
  return state?.words[0]?.at(-1);
}

/** Before the end, a service refuses the report in its own way. */
async function hasReport(service: Service, id: string): Promise<boolean> {
  try {
    await fetchReport(service, id);
    return true;
  } catch (error) {
    const { status = 0, kind = null } = error instanceof ClaimsError ? error : {};
    const isRefused = status >= 400 && status < 500 && status !== 429 && kind !== "credential";
    if (isRefused || status === 200 || status === 202) return false;
    throw error;
  }
}
