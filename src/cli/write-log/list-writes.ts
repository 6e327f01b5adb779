import { type ClaimsError, unreachableError } from "../../domain/errors.ts";
import { formatCount } from "../../domain/numbers.ts";
import type { Context } from "../context.ts";
import type { OptionValues } from "../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import { DEFAULT_LIMIT, type historyOptions } from "./history-options.ts";
import { openWriteLog } from "./write-log.ts";
import { describeStatus, needsDecision, toWriteRecords, type WriteRecord } from "./write-record.ts";

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
  const matching = toWriteRecords(await openWriteLog(context).read())
    .reverse()
    .filter(isListed)
    .filter((record) => Date.parse(record.at) >= earliest)
    .filter((record) => (record.seller ?? "").toLowerCase().includes(seller.toLowerCase()))
    .filter((record) => !unknown || needsDecision(record, context))
    .map((record) => toWriteRow(record, context));
  const inState = state === undefined ? matching : matching.filter((row) => hasState(row, state));
  // The service names the states, so a typo cannot be refused.
  if (state !== undefined && inState.length === 0 && matching.length > 0)
    printMessage(context, `no listed write has the state ${state}; there are ${listStates(matching)}`);
  const found = inState.filter((row) => !global.quiet || idOf(row) !== null);
  const isFiltered = unknown || since || state || seller;
  return toListOutput({
    items: all ? found : found.slice(0, limit),
    columns,
    idOf,
    emptyMessage: unknown
      ? "no unknown outcomes"
      : isFiltered
        ? "no write matches"
        : "no writes from this machine yet",
    failure: () => (unknown ? unknownOutcomesError(found) : undefined),
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

function unknownOutcomesError([first, ...others]: readonly WriteRow[]): ClaimsError | undefined {
  if (first === undefined) return undefined;
  const newest = `${first.operation} at ${first.at}`;
  const message =
    others.length === 0
      ? `the outcome of ${newest} is unknown`
      : `${formatCount(others.length + 1, "write")} have an unknown outcome, the newest is ${newest}`;
  return unreachableError("unknown_outcomes", message, {
    hint: "run the command of the write again: it uses the same key; or record what happened with `claims history resolve KEY`",
  });
}

/** For `status -`, which needs each job once: a resume has the id of a job that was submitted before. */
export const submittedJobOf = ({ operation, jobId }: Pick<WriteRecord, "operation" | "jobId">) =>
  operation === SUBMIT_OPERATION ? jobId : null;
