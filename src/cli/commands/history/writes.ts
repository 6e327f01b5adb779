import { resolve } from "node:path";
import { requireMapping } from "../../../contract/mapping/check.ts";
import { readSubmittedId } from "../../../contract/mapping/read.ts";
import { JOB_STATES } from "../../../domain/diligence/states.ts";
import {
  type ClaimsError,
  needsDecisionError,
  notFoundError,
  rejectedError,
  unreachableError,
  usageError,
} from "../../../domain/errors.ts";
import { quoteValue } from "../../../domain/json.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { OptionValues } from "../../framework/options.ts";
import { hiddenColumns, type ListColumn, type Output, toListOutput } from "../../output/output.ts";
import { hintToResolve } from "../../write-log/decide-write.ts";
import { type Resolved, SUBMIT_OPERATION } from "../../write-log/events.ts";
import { readSavedResponse } from "../../write-log/saved-response.ts";
import { openBatchLogFile, openWriteLog, type WriteLog } from "../../write-log/write-log.ts";
import {
  describeOutcome,
  isOutcomeOpen,
  needsDecision,
  type WriteRecord,
} from "../../write-log/write-record.ts";
import { nameOf, toWriteRecords } from "../../write-log/write-records.ts";
import type { historyOptions } from "./history.ts";

type WriteRow = ReturnType<typeof toWriteRow>;

export async function listWrites(
  context: Context,
  { quiet }: { readonly quiet: boolean | undefined },
  options: OptionValues<typeof historyOptions>,
) {
  const { all, limit, seller = "", since, state, submissions, unknown } = options;
  const earliest = since?.(context.now()) ?? Number.NEGATIVE_INFINITY;
  const log = openWriteLog(context);
  // With --unknown, a line that cannot be read is the failure of the list, not a warning.
  const records = toWriteRecords(unknown ? await log.readNew() : await log.read()).reverse();
  if (state !== undefined)
    requireKnownWord(
      state,
      records.map((record) => toWriteRow(record, context)),
    );
  const matching = records
    .filter(({ operation }) => !submissions || operation === SUBMIT_OPERATION)
    .filter((record) => Date.parse(record.at) >= earliest)
    .filter((record) => (record.seller ?? "").toLowerCase().includes(seller.toLowerCase()))
    .filter((record) => !unknown || isOutcomeOpen(record, context))
    .map((record) => ({ record, row: toWriteRow(record, context) }));
  const idOf = (row: WriteRow) => (submissions ? row.jobId : row.key);
  const listed = matching
    .filter(({ row }) => state === undefined || hasState(row, state))
    .filter(({ row }) => !quiet || idOf(row) !== null);
  const found = listed.map(({ row }) => row);
  const open = unknown ? listed.map(({ record }) => record) : [];
  const isFiltered = unknown || submissions || since || state || seller;
  return toListOutput({
    items: all ? found : found.slice(0, limit),
    columns: unknown ? UNKNOWN_WRITE_COLUMNS : WRITE_COLUMNS,
    idOf,
    emptyMessage: unknown
      ? "no write with an open outcome"
      : isFiltered
        ? "no write matches"
        : "no writes from this machine yet",
    failure: () => (unknown && log.findUnreadableLine()) || openOutcomesError(context, open),
  });
}

/** A write as programs see it. */
function toWriteRow(record: WriteRecord, context: Context) {
  const {
    type,
    lastAttemptAt,
    openAttempts,
    isResolved,
    pid,
    startTime,
    pidNamespace,
    instance,
    supportsIdempotencyKey,
    ...rest
  } = record;
  return { ...rest, outcome: describeOutcome(record, context) };
}

/** `clients.create` is `create` of `clients`, and `POST /v1/clients` is `POST` of `/v1/clients`. */
function splitOperation(operation: string): { readonly what: string; readonly noun: string } {
  const [method = "", path] = operation.split(" ");
  if (path !== undefined) return { what: method, noun: path };
  const [noun = "", what = ""] = operation.split(".");
  return { what, noun };
}

const WRITE_COLUMNS: readonly ListColumn<WriteRow>[] = [
  {
    name: "at",
    title: "at (UTC)",
    isWhole: true,
    display: ({ at }) => at.slice(0, "2026-11-22T20:00".length).replace("T", " "),
  },
  {
    name: "operation",
    title: "what",
    isWhole: true,
    display: ({ operation }) => splitOperation(operation).what,
  },
  {
    name: "file",
    title: "file or noun",
    display: ({ file, operation }) => file ?? splitOperation(operation).noun,
  },
  {
    name: "outcome",
    canWrap: true,
    display: ({ outcome }) => (outcome === "forgotten" ? "forgotten, counts as sent" : outcome),
  },
  { name: "jobId", title: "job", isId: true },
  { name: "state", canWrap: true },
  { name: "seller" },
  ...hiddenColumns("key", "bytes", "code", "environment", "baseUrl"),
];

/** `claims history resolve` takes the key. */
const UNKNOWN_WRITE_COLUMNS = WRITE_COLUMNS.map((column): ListColumn<WriteRow> => {
  if (column.name === "key") return { name: "key", isId: true };
  return column.name === "jobId" || column.name === "state" ? { name: column.name, isHidden: true } : column;
});

/** `in flight (pid 12)` is the outcome `in flight`, and `accepted, no id` the outcome `accepted`. */
const nameOfOutcome = (outcome: string): string => outcome.replace(/(?: \(|,).*$/s, "");

const hasState = ({ outcome, state }: WriteRow, wanted: string): boolean =>
  [outcome, nameOfOutcome(outcome), state].some((known) => known?.toLowerCase() === wanted.toLowerCase());

const KNOWN_WORDS: readonly string[] = [
  ...["accepted", "refused", "not sent", "forgotten", "unknown", "in flight"],
  ...JOB_STATES,
];

/** A word that neither this program nor a service in the log uses has a typing error: an empty list would look right. */
function requireKnownWord(wanted: string, rows: readonly WriteRow[]): void {
  const isKnown = KNOWN_WORDS.includes(wanted.toLowerCase()) || rows.some((row) => hasState(row, wanted));
  if (isKnown) return;
  throw usageError("option_invalid", `${quoteValue(wanted)} is no outcome or state of a write`, {
    option: "--state",
    hint: `use one of ${KNOWN_WORDS.join(", ")}`,
  });
}

/** @param open newest first */
function openOutcomesError(context: Context, open: readonly WriteRecord[]): ClaimsError | undefined {
  const decision = open.find((record) => needsDecision(record, context));
  const first = decision ?? open[0];
  if (first === undefined) return undefined;
  const count = open.length === 1 ? "the outcome of 1 write is" : `the outcomes of ${open.length} writes are`;
  const name = `${first.operation}${first.file === null ? "" : ` of ${first.file}`} at ${formatTime(first.at)}`;
  if (decision)
    return needsDecisionError("open_decisions", `${count} open; ${name} needs a decision by a person`, {
      hint: hintToResolve(decision),
    });
  return unreachableError("unknown_outcomes", `${count} unknown: ${name}`, {
    hint: `the next run of its command repeats it under its key if the service keeps keys; or ${hintToResolve(first)}`,
  });
}

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
    const ofKey = findUnsettled(context, records, key, resolution);
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

/** The writes of a key that a person may settle: those whose outcome is open, or else those that were forgotten. */
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
  const forgotten = same.filter(({ outcome }) => outcome === "forgotten");
  if (forgotten.length > 0 && resolution.outcome !== "forgotten") return distinctWrites(forgotten);
  const hint = "`claims history --unknown` lists the writes with an unknown outcome";
  if (last === undefined)
    throw notFoundError("unknown_key", `no write of this machine has the key ${key}`, { hint });
  const outcome = describeOutcome(last, context);
  throw rejectedError("outcome_known", `the write ${key} is ${outcome}, not unknown`, { hint });
}
