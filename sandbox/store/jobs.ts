import type { FileProgress } from "../../src/domain/diligence/assessment.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

export interface JobFailure {
  readonly code: string;
  readonly detail: string;
  readonly line: number | null;
}

/** A row that makes a run fail, and the progress of the run at that row. */
export interface ScriptedFailure {
  readonly line: number;
  readonly progress: FileProgress;
}

/** What reading the file found. The outcome of every run follows from it. */
export interface FileFindings {
  /** Makes every run fail. */
  readonly fileError: JobFailure | null;
  readonly failsOnce: ScriptedFailure | null;
  readonly failsAlways: ScriptedFailure | null;
  /** The number of entries that the first run defers. */
  readonly deferred: number;
  readonly slow: boolean;
  readonly progress: FileProgress;
}

export const NO_PROGRESS: FileProgress = {
  rowsTotal: null,
  rowsProcessed: 0,
  entriesAccepted: 0,
  entriesRejected: 0,
};

const JOBS = new sql.SqlTable("job", {
  seq: sql.integer,
  id: sql.text,
  ...sql.owner,
  state: sql.plain<JobState>(),
  sellerName: sql.text,
  requiresProtestDocumentation: sql.boolean,
  fileName: sql.optionalText,
  fileBytes: sql.integer,
  asOf: sql.integer,
  runCount: sql.integer,
  createdAt: sql.integer,
  startedAt: sql.optionalInteger,
  finishedAt: sql.optionalInteger,
  rowsTotal: sql.optionalInteger,
  rowsProcessed: sql.integer,
  entriesAccepted: sql.integer,
  entriesRejected: sql.integer,
  failure: sql.json<JobFailure | null>(),
  findings: sql.json<FileFindings | null>(),
});

export type JobRow = sql.RowOf<typeof JOBS>;

type NewJob = Omit<
  JobRow,
  "seq" | "state" | "runCount" | "startedAt" | "finishedAt" | keyof FileProgress | "failure" | "findings"
>;

export const addJob = (store: Store, job: NewJob): void => JOBS.insert(store, { ...job, state: "queued" });

/** Finds the job of any caller. */
export const findJob = (store: Store, id: string): JobRow | undefined => JOBS.find(store, { id });

/** Jobs of every caller, the newest first. */
export const listLatestJobs = (store: Store, limit: number): JobRow[] =>
  JOBS.list(store, {}, { before: null, limit });

export function findOwnedJob(store: Store, { partner, environment }: Caller, id: string): JobRow | undefined {
  const job = findJob(store, id);
  return job?.partner === partner && job.environment === environment ? job : undefined;
}

/** The seqs of the caller's completed jobs, the latest first. */
export function listCompletedJobSeqs(store: Store, { partner, environment }: Caller): number[] {
  const rows = store.all(
    "SELECT seq FROM job WHERE partner = ? AND environment = ? AND state = 'completed' ORDER BY seq DESC",
    [partner, environment],
  );
  return rows.map(([seq]) => seq as number);
}

/** Resets the job to queued. What its file contains stays known. */
export const requeueJob = (store: Store, id: string): void =>
  JOBS.update(
    store,
    { id },
    { state: "queued", startedAt: null, finishedAt: null, failure: null, ...NO_PROGRESS },
  );

export function beginRun(store: Store, id: string, at: number): void {
  store.run("UPDATE job SET state = 'processing', run_count = run_count + 1, started_at = ? WHERE id = ?", [
    at,
    id,
  ]);
}

export const setJobProgress = (store: Store, id: string, progress: FileProgress): void =>
  JOBS.update(store, { id }, progress);

export const setJobFindings = (store: Store, id: string, findings: FileFindings): void =>
  JOBS.update(store, { id }, { findings });

export const endRun = (
  store: Store,
  id: string,
  {
    at,
    progress,
    ...outcome
  }: Pick<JobRow, "state" | "failure"> & { readonly progress: FileProgress; readonly at: number },
): void => JOBS.update(store, { id }, { ...outcome, finishedAt: at, ...progress });
