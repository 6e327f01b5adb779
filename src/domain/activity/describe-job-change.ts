import type { JobState } from "../diligence/states.ts";
import type { ActivityLine } from "./activity-line.ts";

/** A run of a job, and the state of the job at its beginning or end. */
export interface DescribedJobChange {
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  readonly jobId: string;
  /** Counted from 1. */
  readonly runCount: number;
  readonly state: JobState;
  readonly failure: { readonly code: string; readonly detail: string } | null;
}

export const describeJobChange = ({
  at,
  failure,
  jobId,
  runCount,
  state,
}: DescribedJobChange): ActivityLine => ({
  at,
  tone: state === "failed" ? "failure" : "success",
  result: "job",
  verb: jobId,
  subject: state,
  durationMs: null,
  label: `run ${runCount}`,
  notes: failure ? [`${failure.code}: ${failure.detail}`] : [],
});
