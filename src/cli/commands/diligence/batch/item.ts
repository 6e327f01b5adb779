import type { ClaimsError } from "../../../../domain/errors.ts";
import type { ListColumn } from "../../../output/output.ts";
import type { BatchRow } from "./row.ts";

/** What became of one submission of a batch. */
export interface BatchItem {
  readonly row: BatchRow;
  readonly jobId: string | null;
  /** Of the job, once it is followed; before, how the submission stands. */
  readonly state: string;
  readonly status: SubmissionStatus;
  readonly outcome: string | null;
  readonly error: ClaimsError | null;
}

/** How a submission stands, in the words of the summary. `already`: an earlier run has sent it. */
export type SubmissionStatus = "accepted" | "already" | "refused" | "unknown" | "not sent";

const STATE_BY_STATUS: Readonly<Record<SubmissionStatus, string>> = {
  accepted: "accepted",
  already: "accepted",
  refused: "refused",
  unknown: "unknown",
  "not sent": "not sent",
};

/** An item whose job nobody has followed yet. */
export const createItem = (
  row: BatchRow,
  standing: SubmissionStatus,
  { jobId = null, error = null }: { jobId?: string | null; error?: ClaimsError | null } = {},
): BatchItem => ({ row, status: standing, state: STATE_BY_STATUS[standing], jobId, error, outcome: null });

/** An item as a program reads it. */
export const toJson = ({ row, jobId, state, outcome, error }: BatchItem) => ({
  file: row.name,
  seller: row.seller,
  jobId,
  state,
  outcome,
  error: error && { code: error.code, message: error.message, hint: error.hint },
});

export const ITEM_COLUMNS: readonly ListColumn<BatchItem>[] = [
  { name: "file", value: ({ row }) => row.name },
  { name: "seller", value: ({ row }) => row.seller },
  { name: "jobId", title: "job", isId: true },
  { name: "state" },
  { name: "outcome" },
  { name: "error", value: ({ error }) => error?.message },
];

/** `3 accepted, 47 already, 0 refused` with only those that there are, in that order. */
export function summarize(items: readonly BatchItem[]): string {
  const counts = (Object.keys(STATE_BY_STATUS) as SubmissionStatus[]).flatMap((standing) => {
    const count = items.filter((each) => each.status === standing).length;
    return count === 0 ? [] : [`${count} ${standing}`];
  });
  return counts.join(", ");
}
