import { readJobFields } from "../../../../client/wait.ts";
import { categorizeState } from "../../../../domain/diligence/states.ts";
import {
  type ClaimsError,
  interruptedError,
  rejectedError,
  rephraseError,
} from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import { describeHint } from "../../../output/hints.ts";
import type { ListColumn, TableBlock } from "../../../output/output.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { writeToStderr } from "../../../output/stderr.ts";
import { isResumable, type JobView, readFailure, type SentFile } from "../job.ts";
import type { BatchRow, BatchSource } from "./manifest.ts";

/**
 * In the order of the summary. `already`: an earlier run submitted it, and this one did not look at its job. `forgotten`: an
 * earlier run submitted it, and a person gave up finding out what became of it.
 */
export const STATUSES = [
  "completed",
  "accepted",
  "accepted, no id",
  "already",
  "forgotten",
  "resumed",
  "pending",
  "partial",
  "failed",
  "refused",
  "duplicate",
  "invalid",
  "unknown",
  "not sent",
] as const;

export type BatchStatus = (typeof STATUSES)[number];

export interface BatchItem {
  readonly row: BatchRow;
  readonly status: BatchStatus;
  readonly jobId: string | null;
  readonly key: string | null;
  /** The state of the job as the service names it, if the batch looked at it; otherwise the status. */
  readonly state: string;
  /** The outcome of the job's rf8Review. */
  readonly outcome: string | null;
  /** Its first `errors` say what is wrong in the file, or in the row of the manifest. */
  readonly error: ClaimsError | null;
  /** What the job must be about, as far as it is known. */
  readonly sent: (SentFile & { readonly content: string }) | null;
}

export const createItem = (
  row: BatchRow,
  status: BatchStatus,
  details: Partial<Pick<BatchItem, "jobId" | "key" | "error" | "sent">> = {},
): BatchItem => ({
  row,
  status,
  jobId: null,
  key: null,
  state: status === "already" ? "accepted" : status,
  outcome: null,
  error: null,
  sent: null,
  ...details,
});

export function createInvalidItem(row: BatchRow): BatchItem {
  const { errors } = row;
  const problems = errors.map(({ column, message }) => (column ? `column ${column}: ${message}` : message));
  const hint = "correct the row and run the batch again";
  return createItem(row, "invalid", {
    error: rejectedError("row_invalid", problems.join("; "), { hint, errors }),
  });
}

export function addJob(item: BatchItem, job: JobView, error: ClaimsError | undefined): BatchItem {
  const { state } = job.seen;
  const wasResumed = item.status === "resumed";
  return {
    ...item,
    status: categorizeState(state),
    state,
    error: error ? adaptError(job, error, wasResumed) : null,
  };
}

/** The error of a job, with what to do in a batch. */
function adaptError(job: JobView, error: ClaimsError, wasResumed: boolean): ClaimsError {
  const resume = wasResumed
    ? "it was resumed in vain: correct the file, or ask the service"
    : "run the batch again with --resume";
  switch (error.code) {
    case "job_failed": {
      const { code, line, detail } = readFailure(job.record);
      const message = detail ?? `the service gives no reason${code === null ? "" : ` but ${code}`}`;
      const hint = isResumable(job) ? resume : "correct the file and run the batch again";
      return rephraseError(error, {
        message,
        hint,
        errors: [{ line, column: null, code: code ?? error.code, message }],
      });
    }
    case "job_partial": {
      const accepted = valueAt(readJobFields(job.record), "progress.entriesAccepted");
      const count = typeof accepted === "number" ? formatCount(accepted, "entry", "entries") : "";
      const message = `the job ended partial${count && `, with ${count} accepted so far`}`;
      return rephraseError(error, { message, hint: resume });
    }
    case "still_pending":
      return rephraseError(error, { hint: "run the batch again with --wait" });
    default:
      return error;
  }
}

/** Why a file is not complete, and what to do. The line is one of the entry file or of the manifest. */
function readReason({ error }: BatchItem) {
  if (error === null) return null;
  const { line = null, code = error.code } = error.errors?.[0] ?? {};
  return { code, line, message: error.message, hint: describeHint(error) };
}

/** `line 3: column seller: empty` */
const formatReason = ({ line, message }: NonNullable<ReturnType<typeof readReason>>): string =>
  line === null ? message : `line ${line}: ${message}`;

export const toJson = (item: BatchItem) => ({
  file: item.row.name,
  state: item.state,
  outcome: item.outcome,
  jobId: item.jobId,
  seller: item.row.seller,
  ...item.row.extra,
  key: item.key,
  error: readReason(item),
});

const LABELS: Partial<Record<BatchStatus, string>> = {
  already: "already accepted",
  unknown: "outcome unknown",
};

const labelStatus = (status: BatchStatus): string => LABELS[status] ?? status;

const groupByStatus = (items: readonly BatchItem[]) =>
  STATUSES.map((status) => [status, items.filter((item) => item.status === status)] as const).filter(
    ([, { length }]) => length > 0,
  );

/** `34 completed, 6 partial, 2 outcome unknown` */
export const formatCounts = (counts: ReadonlyMap<BatchStatus, number>): string =>
  STATUSES.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : `${count} ${labelStatus(status)}`;
  }).join(", ");

export const summarize = (items: readonly BatchItem[]): string =>
  formatCounts(new Map(groupByStatus(items).map(([status, { length }]) => [status, length])));

export const createItemColumns = ({ extraColumns }: BatchSource): readonly ListColumn<BatchItem>[] => [
  { name: "file", isId: true, canWrap: true, value: ({ row }) => row.name },
  // The service's name of a state, and the words of the summary for a status.
  {
    name: "state",
    isWhole: true,
    display: ({ state, status }) => (state === status ? labelStatus(status) : state),
  },
  { name: "outcome", isOptional: true },
  { name: "jobId", title: "job", isId: true, isOptional: true },
  { name: "seller", value: ({ row }) => row.seller },
  ...extraColumns.map((name): ListColumn<BatchItem> => {
    return { name, title: sanitizeLine(name), value: ({ row }) => row.extra[name] };
  }),
  { name: "key", isHidden: true },
  ...(["code", "line", "message", "hint"] as const).map((name): ListColumn<BatchItem> => {
    return { name: `error.${name}`, isHidden: true, value: (item) => readReason(item)?.[name] };
  }),
];

/** For a terminal: why files are not complete, and the counts with what to do. */
export function summaryBlocks(items: readonly BatchItem[]): readonly TableBlock[] {
  const groups = groupByStatus(items).map(([status, group]) => {
    const [hint = null, ...others] = uniqueHints(group);
    return [labelStatus(status), group.length, others.length > 0 ? "see above" : hint];
  });
  const summary: TableBlock = {
    kind: "table",
    title: formatCount(items.length, "submission"),
    columns: [{ name: "state" }, { name: "files", align: "right" }, { name: "what to do" }],
    rows: groups,
  };
  const reasons = items.flatMap((item) => {
    const reason = readReason(item);
    return reason
      ? [
          [item.row.name, formatReason(reason)],
          ["", `→ ${reason.hint}`],
        ]
      : [];
  });
  if (reasons.length === 0) return [summary];
  // A third column would be too narrow for a reason.
  const columns = [{ name: "file" }, { name: "reason and what to do" }];
  return [{ kind: "table", title: "Not complete", columns, rows: reasons }, summary];
}

const uniqueHints = (items: readonly BatchItem[]): readonly string[] => [
  ...new Set(items.flatMap((item) => readReason(item)?.hint ?? [])),
];

const CONTINUE = "run the same command again to continue the batch";

/** For a log: a file that is not complete. stdout is a pipe to a program, so this goes to stderr. */
export function logReason(context: Context, item: BatchItem): void {
  const { row, status } = item;
  const reason = readReason(item);
  if (context.stdout.isTerminal || reason === null) return;
  const at = new Date(context.now()).toISOString();
  const message = `${row.name}: ${labelStatus(status)}: ${formatReason(reason)} → ${reason.hint}`;
  writeToStderr(context, `${at} ${sanitizeLine(message)}\n`, { warning: { message, at } });
}

/** The failure of the batch: the kind of the most severe one, which decides the exit code. */
export function summarizeFailures(
  { signal, stdout }: Context,
  items: readonly BatchItem[],
  isStopped: boolean,
): ClaimsError | undefined {
  const failed = items.filter(({ error }) => error !== null);
  const errors = failed.flatMap(({ error }) => error ?? []);
  if (signal.aborted && !errors.some(({ kind }) => kind === "interrupted"))
    errors.push(interruptedError(signal.reason));
  const total = formatCount(items.length, "submission");
  const worst = aggregateErrors(errors, total);
  if (worst === undefined) return undefined;
  const isInterrupted = worst.kind === "interrupted";
  const unfinished = items.filter(({ error, status }) => error !== null || status === "not sent");
  const message = [
    isInterrupted ? "interrupted; " : "",
    `${unfinished.length} of ${total} not complete`,
    // The tables of a terminal have the counts.
    stdout.isTerminal || unfinished.length === 0 ? "" : ` (${summarize(unfinished)})`,
  ].join("");
  const canContinue =
    (isStopped && worst.kind !== "needs_decision") ||
    (worst.kind === "unreachable" && worst.code !== "outcome_unknown");
  const [only = CONTINUE, ...others] = uniqueHints(failed);
  const continues = canContinue || isInterrupted;
  return rephraseError(worst, {
    message,
    hint: continues ? CONTINUE : others.length === 0 ? only : "each file above has what to do",
  });
}
