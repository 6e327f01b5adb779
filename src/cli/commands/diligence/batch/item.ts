import type { ClaimsError } from "../../../../domain/errors.ts";
import { describeHint } from "../../../output/hints.ts";
import type { ListColumn } from "../../../output/output.ts";
import type { BatchRow } from "./row.ts";

/** The statuses in the order of the summary. `already`: the job of an earlier submission is the result. */
const STATUSES = ["accepted", "already", "duplicate", "refused", "unknown", "not sent"] as const;

type SubmissionStatus = (typeof STATUSES)[number];

/** The result of one submission of a batch. */
export interface BatchItem {
  readonly row: BatchRow;
  readonly jobId: string | null;
  /** The state of the job if the batch waited for it; otherwise the status of the submission. */
  readonly state: string;
  readonly status: SubmissionStatus;
  readonly outcome: string | null;
  readonly error: ClaimsError | null;
}

export const createItem = (
  row: BatchRow,
  status: SubmissionStatus,
  { jobId = null, error = null }: Partial<Pick<BatchItem, "jobId" | "error">> = {},
): BatchItem => ({
  row,
  status,
  state: status === "already" ? "accepted" : status,
  jobId,
  error,
  outcome: null,
});

export const toJson = ({ row, jobId, state, outcome, error }: BatchItem) => ({
  file: row.name,
  seller: row.seller,
  jobId,
  state,
  outcome,
  error: error && { code: error.code, message: error.message, hint: describeHint(error) },
});

export const ITEM_COLUMNS: readonly ListColumn<BatchItem>[] = [
  { name: "file", value: ({ row }) => row.name },
  { name: "seller", value: ({ row }) => row.seller },
  { name: "jobId", title: "job", isId: true },
  { name: "state" },
  { name: "outcome" },
  { name: "error", value: ({ error }) => error?.message },
];

/** `3 accepted, 47 already`: the statuses that occur. */
export function summarize(items: readonly BatchItem[]): string {
  const counts = STATUSES.map((status) => [items.filter((item) => item.status === status).length, status]);
  return counts.flatMap(([count, status]) => (count === 0 ? [] : [`${count} ${status}`])).join(", ");
}
