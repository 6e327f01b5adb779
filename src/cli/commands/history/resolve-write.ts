import { resolve } from "node:path";
import { requireMapping } from "../../../contract/mapping/check.ts";
import { readSubmittedId } from "../../../contract/mapping/read.ts";
import {
  type ClaimsError,
  needsDecisionError,
  notFoundError,
  rejectedError,
  usageError,
} from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { type Output, toListOutput } from "../../output/output.ts";
import type { Resolved } from "../../write-log/events.ts";
import { readSavedResponse } from "../../write-log/saved-response.ts";
import { openBatchLogFile, openWriteLog, type WriteLog } from "../../write-log/write-log.ts";
import { describeOutcome, isOutcomeOpen, type WriteRecord } from "../../write-log/write-record.ts";
import { nameOf, toWriteRecords } from "../../write-log/write-records.ts";
import { toWriteRow, WRITE_COLUMNS } from "./list-writes.ts";

type Resolution = Pick<Resolved, "outcome" | "jobId">;

/**
 * Records nothing if one is known.
 *
 * @param sentAt time of the write, if several writes have the key
 * @throws ClaimsError `unknown_key`, `outcome_known`, `option_conflict`
 */
export async function resolveWrites(
  context: Context,
  keys: readonly string[],
  resolution: Resolution,
  sentAt?: string,
) {
  const log = openWriteLog(context);
  const records = toWriteRecords(await log.read()).filter(({ at }) => sentAt === undefined || at === sentAt);
  const open = keys.flatMap((key) => {
    const ofKey = distinctWrites(findOpen(context, records, key));
    if (ofKey.length > 1 && resolution.outcome !== "forgotten") throw severalWritesError(key, ofKey);
    return ofKey;
  });
  return recordOutcomes(context, log, new Map(open.map((record) => [record, resolution])));
}

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
  const waiting = distinctWrites(
    toWriteRecords(await log.read()).filter(
      (record) => record.code === "job_id_unknown" && isOutcomeOpen(record, context),
    ),
  );
  const found = new Map<WriteRecord, Resolution>();
  for (const record of waiting) {
    const { responseFile } = record;
    const response = responseFile === undefined ? null : await readSavedResponse(context, responseFile);
    const jobId = response && readSubmittedId(path, response);
    if (jobId !== null) found.set(record, { outcome: "accepted", jobId });
  }
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

function findOpen(context: Context, records: readonly WriteRecord[], key: string): readonly WriteRecord[] {
  const same = records.filter((record) => record.key === key);
  const unknown = same.filter((record) => isOutcomeOpen(record, context));
  if (unknown.length > 0) return unknown;
  const [last] = same.slice(-1);
  if (last === undefined) {
    throw notFoundError("unknown_key", `no write of this machine has the key ${key}`, {
      hint: "`claims history --unknown` lists the writes with an unknown outcome",
    });
  }
  throw rejectedError("outcome_known", `the write ${key} is ${describeOutcome(last, context)}, not unknown`, {
    hint: "`claims history --unknown` lists the writes with an unknown outcome",
  });
}
