import { type ClaimsError, needsDecisionError, unreachableError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { OptionValues } from "../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";
import { hintToResolve } from "./decide-write.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import { DEFAULT_LIMIT, type historyOptions } from "./history-options.ts";
import { openWriteLog } from "./write-log.ts";
import {
  describeStatus,
  isOutcomeOpen,
  needsDecision,
  toWriteRecords,
  type WriteRecord,
} from "./write-record.ts";

type WriteRow = ReturnType<typeof toWriteRow>;

interface WriteList {
  readonly global: { readonly quiet: boolean | undefined };
  readonly options: OptionValues<typeof historyOptions>;
  readonly isListed: (record: WriteRecord) => boolean;
  readonly columns: readonly ListColumn<WriteRow>[];
  /** For `-q`. */
  readonly idOf: (row: Pick<WriteRecord, "operation" | "jobId" | "key">) => string | null;
}

export async function listWrites(context: Context, { global, options, isListed, columns, idOf }: WriteList) {
  const { all, limit = DEFAULT_LIMIT, seller = "", since, state, unknown } = options;
  const earliest = since?.(context.now()) ?? Number.NEGATIVE_INFINITY;
  const log = openWriteLog(context);
  // With --unknown, a line that cannot be read is the failure of the list, not a warning.
  const matching = toWriteRecords(unknown ? await log.readNew() : await log.read())
    .reverse()
    .filter(isListed)
    .filter((record) => Date.parse(record.at) >= earliest)
    .filter((record) => (record.seller ?? "").toLowerCase().includes(seller.toLowerCase()))
    .filter((record) => !unknown || isOutcomeOpen(record, context))
    .map((record) => ({ record, row: toWriteRow(record, context) }));
  const inState = state === undefined ? matching : matching.filter(({ row }) => hasState(row, state));
  // The service names the states, so a typo cannot be refused.
  if (state !== undefined && inState.length === 0 && matching.length > 0)
    printMessage(
      context,
      `no listed write has the state ${state}; there are ${listStates(matching.map(({ row }) => row))}`,
    );
  const listed = inState.filter(({ row }) => !global.quiet || idOf(row) !== null);
  const found = listed.map(({ row }) => row);
  const open = unknown ? listed.map(({ record }) => record) : [];
  const isFiltered = unknown || since || state || seller;
  return toListOutput({
    items: all ? found : found.slice(0, limit),
    columns,
    idOf,
    emptyMessage: unknown
      ? "no write with an open outcome"
      : isFiltered
        ? "no write matches"
        : "no writes from this machine yet",
    failure: () => (unknown && log.findUnreadableLine()) || openOutcomesError(context, open),
  });
}

/** A write as programs see it. The state is the last known state of the job, or the outcome of the write. */
export function toWriteRow(record: WriteRecord, context: Context) {
  const {
    type,
    lastAttemptAt,
    openAttempts,
    outcome,
    isResolved,
    pid,
    startTime,
    pidNamespace,
    instance,
    keepsKeys,
    ...rest
  } = record;
  return { ...rest, state: describeStatus(record, context) };
}

const AT: ListColumn<WriteRow> = {
  name: "at",
  title: "at (UTC)",
  isWhole: true,
  display: ({ at }) => at.slice(0, "2026-11-22T20:00".length).replace("T", " "),
};

/** Most writes are of diligence: `submit`, but `clients.create`. */
const shortenOperation = (operation: string): string => operation.replace(/^diligence\./, "");

export const SUBMISSION_COLUMNS: readonly ListColumn<WriteRow>[] = [
  AT,
  { name: "jobId", title: "job", isId: true },
  { name: "state" },
  // A resume has no file.
  { name: "file", display: ({ file, operation }) => file ?? `(${shortenOperation(operation)})` },
  { name: "seller", isWhole: true },
  ...hiddenColumns("key", "operation", "bytes", "code", "environment", "baseUrl"),
];

export const WRITE_COLUMNS: readonly ListColumn<WriteRow>[] = [
  AT,
  // -q prints it whole.
  { name: "key", display: ({ key }) => key && `${key.slice(0, 8)}…` },
  { name: "state" },
  { name: "operation", isWhole: true, display: ({ operation }) => shortenOperation(operation) },
  { name: "file" },
  { name: "seller", isWhole: true },
  ...hiddenColumns("jobId", "bytes", "code", "environment", "baseUrl"),
];

/** `in flight (pid 12)` is in the state `in flight`, and `accepted, no id` in the state `accepted`. */
const nameOfState = (state: string): string => state.replace(/(?: \(|,).*$/s, "");

const listStates = (rows: readonly WriteRow[]): string =>
  [...new Set(rows.map(({ state }) => nameOfState(state)))].join(", ");

const hasState = ({ state }: { readonly state: string }, wanted: string): boolean =>
  [state, nameOfState(state)].some((known) => known.toLowerCase() === wanted.toLowerCase());

/** @param open newest first */
function openOutcomesError(context: Context, open: readonly WriteRecord[]): ClaimsError | undefined {
  const [decision] = open.filter((record) => needsDecision(record, context));
  const [newest] = open;
  if (newest === undefined) return undefined;
  const first = decision ?? newest;
  const count = open.length === 1 ? "the outcome of 1 write is" : `the outcomes of ${open.length} writes are`;
  const name = `${first.operation}${first.file === null ? "" : ` of ${first.file}`} at ${first.at}`;
  if (decision)
    return needsDecisionError("open_decisions", `${count} open; ${name} needs a decision by a person`, {
      hint: hintToResolve(decision),
    });
  return unreachableError("unknown_outcomes", `${count} unknown: ${name}`, {
    hint: `the next run of its command repeats it under its key if the service keeps keys; or ${hintToResolve(first)}`,
  });
}

/** For `status -`, which needs each job once: a resume has the id of a job that was submitted before. */
export const submittedJobOf = ({ operation, jobId }: Pick<WriteRecord, "operation" | "jobId">) =>
  operation === SUBMIT_OPERATION ? jobId : null;
