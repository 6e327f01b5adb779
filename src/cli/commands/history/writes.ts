import { JOB_STATES } from "../../../domain/diligence/states.ts";
import {
  type ClaimsError,
  needsDecisionError,
  unreachableError,
  usageError,
} from "../../../domain/errors.ts";
import { quoteValue } from "../../../domain/json.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { OptionValues } from "../../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../output/output.ts";
import { hintToResolve } from "../../write-log/decide-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import { openWriteLog } from "../../write-log/write-log.ts";
import {
  describeOutcome,
  findJobOf,
  isOutcomeOpen,
  nameWrite,
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
  return { ...rest, jobId: findJobOf(record), outcome: describeOutcome(record, context) };
}

/** `clients.create` is `create` of `clients`, and `POST /v1/clients` is `POST` of `/v1/clients`. */
function splitOperation(operation: string): { readonly what: string; readonly noun: string } {
  const [method = "", path] = operation.split(" ");
  if (path !== undefined) return { what: method, noun: path };
  const [noun = "", what = ""] = operation.split(".");
  return { what, noun };
}

export const WRITE_COLUMNS: readonly ListColumn<WriteRow>[] = [
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
    display: ({ file, operation, target }) => file ?? target ?? splitOperation(operation).noun,
  },
  {
    name: "outcome",
    canWrap: true,
    display: ({ outcome }) => (outcome === "forgotten" ? "forgotten, counts as sent" : outcome),
  },
  { name: "jobId", title: "job", isId: true },
  { name: "state", canWrap: true },
  { name: "seller" },
  ...hiddenColumns("key", "bytes", "code", "environment", "baseUrl", "target"),
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
  const name = `${nameWrite(first)} at ${formatTime(first.at)}`;
  const jobId = findJobOf(first) ?? undefined;
  if (decision)
    return needsDecisionError("open_decisions", `${count} open; ${name} needs a decision by a person`, {
      hint: hintToResolve(decision),
      jobId,
    });
  return unreachableError("unknown_outcomes", `${count} unknown: ${name}`, {
    jobId,
    hint: `the next run of its command repeats it under its key if the service keeps keys; or ${hintToResolve(first)}`,
  });
}
