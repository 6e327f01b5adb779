import { type ClaimsError, needsDecisionError, unreachableError } from "../../../domain/errors.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { OptionValues } from "../../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../output/output.ts";
import { hintToResolve } from "../../write-log/decide-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import { openWriteLog } from "../../write-log/write-log.ts";
import {
  describeOutcome,
  isOutcomeOpen,
  needsDecision,
  type WriteRecord,
} from "../../write-log/write-record.ts";
import { toWriteRecords } from "../../write-log/write-records.ts";
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
  const matching = toWriteRecords(unknown ? await log.readNew() : await log.read())
    .reverse()
    .filter(({ operation }) => !submissions || operation === SUBMIT_OPERATION)
    .filter((record) => Date.parse(record.at) >= earliest)
    .filter((record) => (record.seller ?? "").toLowerCase().includes(seller.toLowerCase()))
    .filter((record) => !unknown || isOutcomeOpen(record, context))
    .map((record) => ({ record, row: toWriteRow(record, context) }));
  const inState = state === undefined ? matching : matching.filter(({ row }) => hasState(row, state));
  const idOf = (row: WriteRow) => (submissions ? row.jobId : row.key);
  const listed = inState.filter(({ row }) => !quiet || idOf(row) !== null);
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
export function toWriteRow(record: WriteRecord, context: Context) {
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

const COMMON_COLUMNS: readonly ListColumn<WriteRow>[] = [
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
  { name: "outcome", canWrap: true },
];

export const WRITE_COLUMNS: readonly ListColumn<WriteRow>[] = [
  ...COMMON_COLUMNS,
  { name: "jobId", title: "job", isId: true },
  { name: "state", canWrap: true },
  { name: "seller" },
  ...hiddenColumns("key", "bytes", "code", "environment", "baseUrl"),
];

/** `claims history resolve` takes the key. */
const UNKNOWN_WRITE_COLUMNS: readonly ListColumn<WriteRow>[] = [
  ...COMMON_COLUMNS,
  ...hiddenColumns("jobId", "state"),
  { name: "seller" },
  { name: "key", isId: true },
  ...hiddenColumns("bytes", "code", "environment", "baseUrl"),
];

/** `in flight (pid 12)` is the outcome `in flight`, and `accepted, no id` the outcome `accepted`. */
const nameOfOutcome = (outcome: string): string => outcome.replace(/(?: \(|,).*$/s, "");

const statesOf = ({ outcome, state }: WriteRow): readonly string[] =>
  state === null ? [nameOfOutcome(outcome)] : [nameOfOutcome(outcome), state];

const hasState = (row: WriteRow, wanted: string): boolean =>
  [row.outcome, ...statesOf(row)].some((known) => known.toLowerCase() === wanted.toLowerCase());

/** @param open newest first */
function openOutcomesError(context: Context, open: readonly WriteRecord[]): ClaimsError | undefined {
  const [decision] = open.filter((record) => needsDecision(record, context));
  const [newest] = open;
  if (newest === undefined) return undefined;
  const first = decision ?? newest;
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
