import { sep } from "node:path";
import { readJobFields } from "../../../../client/wait.ts";
import { categorizeState } from "../../../../domain/diligence/states.ts";
import { type ClaimsError, rejectedError } from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { describeHint } from "../../../output/hints.ts";
import type { ListColumn } from "../../../output/output.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { isResumable, type JobView, readFailure, type SentFile } from "../job.ts";
import type { BatchRow, BatchSource } from "./row.ts";

/** In the order of the summary. `already`: an earlier run submitted it, and this one did not look at its job. */
export const STATUSES = [
  "completed",
  "accepted",
  "already",
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

export interface Reason {
  /** That of the service for a failed job, that of the error otherwise. */
  readonly code: string;
  /** Of the entry file, or of the manifest for a row that is invalid there. */
  readonly line: number | null;
  readonly message: string;
  readonly hint: string;
}

/** `line 3: column seller: empty` */
export const formatReason = ({ line, message }: Reason): string =>
  line === null ? message : `line ${line}: ${message}`;

export interface BatchItem {
  readonly row: BatchRow;
  readonly status: BatchStatus;
  readonly jobId: string | null;
  readonly key: string | null;
  /** The state of the job as the service names it, if the batch looked at it; otherwise the status. */
  readonly state: string;
  /** The outcome of the job's rf8Review. */
  readonly outcome: string | null;
  readonly error: ClaimsError | null;
  readonly reason: Reason | null;
  /** What the job must be about, as far as it is known. */
  readonly sent: SentFile | null;
}

interface ItemDetails extends Partial<Pick<BatchItem, "jobId" | "key" | "error" | "sent">> {
  /** The default is the reason that the error has. */
  readonly reason?: Reason;
}

export const createItem = (
  row: BatchRow,
  status: BatchStatus,
  { jobId = null, key = null, error = null, sent = null, reason }: ItemDetails = {},
): BatchItem => ({
  row,
  status,
  jobId,
  key,
  state: status === "already" ? "accepted" : status,
  outcome: null,
  error,
  reason: reason ?? (error && toReason(error)),
  sent,
});

export function createInvalidItem(row: BatchRow): BatchItem {
  const [first] = row.errors;
  const message = row.errors
    .map((error) => (error.column === null ? error.message : `column ${error.column}: ${error.message}`))
    .join("; ");
  const { line = null } = first ?? {};
  const correct = line === null ? "correct or move the file" : "correct the row";
  const error = rejectedError("row_invalid", message, { hint: `${correct} and run the batch again` });
  const { code = error.code } = first ?? {};
  return createItem(row, "invalid", { error, reason: { ...toReason(error), line, code } });
}

export function addJob(item: BatchItem, job: JobView, error: ClaimsError | undefined): BatchItem {
  const reason = error ? describeJob(job, error) : null;
  const { state } = job.seen;
  return { ...item, status: categorizeState(state), state, error: error ?? null, reason };
}

export const addError = (item: BatchItem, error: ClaimsError): BatchItem => ({
  ...item,
  error,
  reason: toReason(error),
});

const toReason = (error: ClaimsError): Reason => ({
  code: error.code,
  line: null,
  message: error.message,
  hint: describeHint(error),
});

const RESUME = "run the batch again with --resume";
const CORRECT_FILE = "correct the file and run the batch again";

function describeJob(job: JobView, error: ClaimsError): Reason {
  switch (error.code) {
    case "job_failed": {
      const { code, line, detail } = readFailure(job.record);
      return {
        code: code ?? error.code,
        line,
        message: detail ?? `the service gives no reason${code === null ? "" : ` but ${code}`}`,
        hint: isResumable(job) ? RESUME : CORRECT_FILE,
      };
    }
    case "job_partial": {
      const accepted = valueAt(readJobFields(job.record), "progress.entriesAccepted");
      const count = typeof accepted === "number" ? formatCount(accepted, "entry", "entries") : "";
      const message = `the job ended partial${count && `, with ${count} accepted so far`}`;
      return { ...toReason(error), message, hint: RESUME };
    }
    case "still_pending":
      return { ...toReason(error), hint: "run the batch again with --wait" };
    default:
      return toReason(error);
  }
}

export const toJson = ({ row, state, outcome, jobId, key, reason }: BatchItem) => ({
  file: row.name,
  state,
  outcome,
  jobId,
  seller: row.seller,
  ...row.extra,
  key,
  error: reason,
});

/** What a batch adds to the columns of its manifest. */
export const RESULT_FIELDS: readonly string[] = [
  ...["state", "outcome", "jobId", "key"],
  ...["error", "error.code", "error.line", "error.message", "error.hint"],
];

const LABELS: Partial<Record<BatchStatus, string>> = {
  already: "already accepted",
  unknown: "outcome unknown",
};

export const labelStatus = (status: BatchStatus): string => LABELS[status] ?? status;

export const groupByStatus = (items: readonly BatchItem[]) =>
  STATUSES.map((status) => [status, items.filter((item) => item.status === status)] as const).filter(
    ([, { length }]) => length > 0,
  );

/** `34 completed, 6 partial, 2 outcome unknown` */
export const summarize = (items: readonly BatchItem[]): string =>
  formatCounts(new Map(groupByStatus(items).map(([status, { length }]) => [status, length])));

export const formatCounts = (counts: ReadonlyMap<BatchStatus, number>): string =>
  STATUSES.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : `${count} ${labelStatus(status)}`;
  }).join(", ");

/** The names without the folder that all have in common: cut at their ends, they would all look alike. */
export function createShortNames(names: readonly string[]): (name: string) => string {
  const folders = names.map((name) => name.split(sep).slice(0, -1));
  const [first = []] = folders;
  const end = first.findIndex((part, index) => folders.some((folder) => folder[index] !== part));
  const length = end < 0 ? first.length : end;
  return (name) => name.split(sep).slice(length).join(sep);
}

type Column = ListColumn<BatchItem>;

/** A name that leaves less room beside it wraps. Other columns disappear before a shorter one does. */
const MIN_WIDTH_BESIDE_NAME = 24;

/** @param width characters of a line of the terminal */
export function createItemColumns({ rows, extraColumns }: BatchSource, width: number): readonly Column[] {
  const nameOf = createShortNames(rows.map(({ name }) => name));
  const longest = rows.reduce((max, { name }) => Math.max(max, nameOf(name).length), 0);
  return [
    {
      name: "file",
      isId: true,
      ...(longest > width - MIN_WIDTH_BESIDE_NAME && { canWrap: true as const }),
      value: ({ row }) => row.name,
      display: ({ row }) => nameOf(row.name),
    },
    { name: "state", isWhole: true, display: displayState },
    { name: "outcome", isOptional: true },
    { name: "jobId", title: "job", isWhole: true, isOptional: true },
    { name: "seller", value: ({ row }) => row.seller },
    ...extraColumns.map(
      (name): Column => ({ name, title: sanitizeLine(name), value: ({ row }) => row.extra[name] }),
    ),
    { name: "key", isHidden: true },
    ...(["code", "line", "message", "hint"] as const).map(
      (name): Column => ({ name: `error.${name}`, isHidden: true, value: ({ reason }) => reason?.[name] }),
    ),
  ];
}

/** The service's name of a state, and the words of the summary for a status. */
const displayState = ({ state, status }: BatchItem): string =>
  state === status ? labelStatus(status) : state;
