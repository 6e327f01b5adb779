import { resolve } from "node:path";
import { requireMapping } from "../../../contract/mapping/check.ts";
import { readSubmittedId } from "../../../contract/mapping/read.ts";
import { isJobId } from "../../../domain/diligence/job-id.ts";
import {
  type ClaimsError,
  needsDecisionError,
  notFoundError,
  rejectedError,
  usageError,
} from "../../../domain/errors.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import { type Output, toListOutput } from "../../output/output.ts";
import type { Resolved } from "../../write-log/events.ts";
import { isInScope } from "../../write-log/logged-writes.ts";
import { readSavedResponse } from "../../write-log/saved-response.ts";
import { openBatchLogFile, openWriteLog, type WriteLog } from "../../write-log/write-log.ts";
import {
  describeOutcome,
  isDoubtful,
  isOutcomeOpen,
  type WriteRecord,
} from "../../write-log/write-record.ts";
import { nameOf, toWriteRecords } from "../../write-log/write-records.ts";
import { toWriteRow, WRITE_COLUMNS } from "./writes.ts";

type Resolution = Pick<Resolved, "outcome" | "jobId">;

/**
 * Records nothing if one is known from the service, or if the job is that of another file.
 *
 * @param sentAt time of the write, if several writes have the key
 * @throws ClaimsError `unknown_key`, `outcome_known`, `option_conflict`, `job_id_reused`
 */
export async function resolveWrites(
  context: Context,
  keys: readonly string[],
  resolution: Resolution,
  sentAt?: string,
) {
  const log = openWriteLog(context);
  const all = toWriteRecords(await log.read());
  const records = all.filter(({ at }) => sentAt === undefined || at === sentAt);
  const unsettled = keys.flatMap((key) => {
    const ofKey = findUnsettled(context, records, key, resolution);
    if (ofKey.length > 1 && resolution.outcome !== "forgotten") throw severalWritesError(key, ofKey);
    return ofKey;
  });
  const outcomes = new Map(unsettled.map((record) => [record, resolution]));
  requireOwnJobs(all, outcomes);
  return recordOutcomes(context, log, outcomes);
}

/** Two files have one job only by mistake: the id is that of something else. @throws ClaimsError `job_id_reused` */
function requireOwnJobs(
  records: readonly WriteRecord[],
  outcomes: ReadonlyMap<WriteRecord, Resolution>,
): void {
  const jobs = records
    .filter((record) => record.outcome === "accepted" && !isDoubtful(record) && !outcomes.has(record))
    .map((record) => ({ record, jobId: record.jobId }));
  for (const [record, { jobId }] of outcomes) {
    const other = jobs.find((job) => isJobOfOtherFile(job, record, jobId));
    if (other !== undefined) throw jobReusedError(other.record, jobId);
    jobs.push({ record, jobId });
  }
}

const isJobOfOtherFile = (
  job: { readonly record: WriteRecord; readonly jobId: string | null },
  record: WriteRecord,
  jobId: string | null,
): boolean =>
  jobId !== null &&
  job.jobId?.toLowerCase() === jobId.toLowerCase() &&
  job.record.operation === record.operation &&
  job.record.fileSha256 !== record.fileSha256 &&
  isInScope(job.record, record);

const jobReusedError = ({ at, file }: WriteRecord, jobId: string | null): ClaimsError =>
  needsDecisionError(
    "job_id_reused",
    `job ${jobId} is that of ${file ?? "another write"}, sent at ${formatTime(at)}; nothing was recorded`,
    {
      hint: "look for the job of this file on the service; if the service has one job for both, give --accepted in place of --job-id",
      jobId: jobId ?? undefined,
    },
  );

/** Logs the outcomes, and lists the writes as they are after that. */
async function recordOutcomes(
  context: Context,
  log: WriteLog,
  outcomes: ReadonlyMap<WriteRecord, Resolution>,
  failure?: ClaimsError,
): Promise<Output> {
  const at = new Date(context.now()).toISOString();
  for (const [{ key, content, baseUrl, environment, instance }, resolution] of outcomes)
    await log.append({ type: "resolved", at, key, content, baseUrl, environment, instance, ...resolution });
  const changed = new Set([...outcomes.keys()].map(nameOf));
  return toListOutput({
    items: toWriteRecords(await log.read())
      .filter((record) => changed.has(nameOf(record)))
      .map((record) => toWriteRow(record, context)),
    columns: WRITE_COLUMNS,
    emptyMessage: "no submission waits for a job id",
    failure: () => failure,
  });
}

/**
 * Records the job of each submission that was accepted without a readable id, from its saved response.
 *
 * @param path of the id in the responses: a path, or `header:Location`
 */
export async function resolveByPath(context: Context, path: string): Promise<Output> {
  requireMapping({ "submitted.id": path }, "--job-id-path");
  const log = openWriteLog(context);
  const records = toWriteRecords(await log.read());
  const waiting = distinctWrites(
    records.filter((record) => record.code === "job_id_unknown" && isOutcomeOpen(record, context)),
  );
  const found = new Map<WriteRecord, Resolution>();
  for (const record of waiting) {
    const { responseFile } = record;
    const response = responseFile === undefined ? null : await readSavedResponse(context, responseFile);
    const jobId = response && readSubmittedId(path, response);
    if (jobId !== null && isJobId(jobId)) found.set(record, { outcome: "accepted", jobId });
  }
  requireOwnJobs(records, found);
  const left = waiting.length - found.size;
  const message = `${left} of ${waiting.length} responses have no id at ${path}`;
  const hint = "`claims history --unknown --json` names the saved responses";
  const failure = left === 0 ? undefined : needsDecisionError("open_decisions", message, { hint });
  return recordOutcomes(context, log, found, failure);
}

/** The last attempt of each write. */
const distinctWrites = (records: readonly WriteRecord[]): readonly WriteRecord[] => [
  ...new Map(records.map((record) => [nameOf(record), record])).values(),
];

function severalWritesError(key: string, writes: readonly WriteRecord[]): ClaimsError {
  const names = writes.map(({ at, baseUrl, file }) => `--sent-at ${at} (${file ?? "no file"} to ${baseUrl})`);
  return usageError("option_conflict", `${writes.length} writes have the key ${key}`, {
    hint: `add one of ${names.join(", ")}`,
  });
}

/** A person has looked at a line of the write log, or of a batch log, that cannot be read. @throws ClaimsError `option_invalid` */
export async function forgetLine(
  context: Context,
  line: number,
  batchLog: string | undefined,
): Promise<Output> {
  const log =
    batchLog === undefined
      ? openWriteLog(context)
      : openBatchLogFile(context, resolve(context.cwd, batchLog), batchLog);
  await log.forgetLine(line, new Date(context.now()).toISOString());
  return { kind: "nothing" };
}

/** The writes of a key that a person may settle: those whose outcome is open, or else those that a person settled before. */
function findUnsettled(
  context: Context,
  records: readonly WriteRecord[],
  key: string,
  resolution: Resolution,
): readonly WriteRecord[] {
  const same = records.filter((record) => record.key === key);
  const open = same.filter((record) => isOutcomeOpen(record, context));
  const last = same.at(-1);
  if (open.length > 0) return distinctWrites(open);
  const resolved = same.filter(({ isResolved }) => isResolved);
  if (resolved.length > 0 && resolution.outcome !== "forgotten") return distinctWrites(resolved);
  const hint = "`claims history --unknown` lists the writes with an unknown outcome";
  if (last === undefined)
    throw notFoundError("unknown_key", `no write of this machine has the key ${key}`, { hint });
  const outcome = describeOutcome(last, context);
  throw rejectedError("outcome_known", `the write ${key} is ${outcome}, not unknown`, { hint });
}
