import type { JobState } from "../../src/domain/diligence/states.ts";
import type { Day } from "../../src/domain/entries/dates.ts";
import type { Caller, Environment } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { listNewestRows } from "./row-page.ts";

export interface FileProgress {
  /** Null until the end of the file is known. */
  readonly rowsTotal: number | null;
  readonly rowsProcessed: number;
  readonly entriesAccepted: number;
  readonly entriesRejected: number;
}

export interface JobFailure {
  readonly code: string;
  readonly detail: string;
  readonly line: number | null;
}

/** A row that makes a run fail, and how far the run has come by then. */
export interface ScriptedFailure {
  readonly line: number;
  readonly progress: FileProgress;
}

/** What the one reading of the file found; every run's outcome follows from it. */
export interface FileFindings {
  /** A fault of the file: every run fails alike. */
  readonly fileError: JobFailure | null;
  readonly failsOnce: ScriptedFailure | null;
  readonly failsAlways: ScriptedFailure | null;
  /** How many entries the first run defers. */
  readonly deferred: number;
  readonly slow: boolean;
  readonly progress: FileProgress;
}

export interface NewJob extends Caller {
  readonly id: string;
  readonly sellerName: string;
  readonly requiresProtestDocumentation: boolean;
  readonly fileName: string | null;
  readonly fileBytes: number;
  readonly asOf: Day;
  readonly createdAt: number;
}

export interface JobRow extends NewJob {
  readonly seq: number;
  readonly state: JobState;
  readonly runCount: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly progress: FileProgress;
  readonly failure: JobFailure | null;
  readonly findings: FileFindings | null;
}

export const NO_PROGRESS: FileProgress = {
  rowsTotal: null,
  rowsProcessed: 0,
  entriesAccepted: 0,
  entriesRejected: 0,
};

export function addJob(store: Store, job: NewJob): void {
  store.run(
    `INSERT INTO job (id, partner, environment, state, seller_name, protest_documents, file_name, file_bytes, as_of,
       created_at) VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
    [
      job.id,
      job.partner,
      job.environment,
      job.sellerName,
      job.requiresProtestDocumentation ? 1 : 0,
      job.fileName,
      job.fileBytes,
      job.asOf,
      job.createdAt,
    ],
  );
}

const COLUMNS = `seq, id, partner, environment, state, seller_name, protest_documents, file_name, file_bytes,
  as_of, run_count, created_at, started_at, finished_at, rows_total, rows_processed, entries_accepted,
  entries_rejected, failure, findings`;

/** A job of whoever; for the engine. */
export function findJob(store: Store, id: string): JobRow | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM job WHERE id = ?`, [id]);
  return row && toJobRow(row);
}

/** Of whoever, the newest first; for the engine. */
export const listLatestJobs = (store: Store, limit: number): JobRow[] =>
  listNewestRows(store, { name: "job", columns: COLUMNS, read: toJobRow }, {}, { before: null, limit });

/** Another partner's or environment's job does not exist for the caller (product.md §5). */
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

function toJobRow(row: SqlValue[]): JobRow {
  const [failure, findings] = row.slice(18) as [string | null, string | null];
  return {
    seq: row[0] as number,
    id: row[1] as string,
    partner: row[2] as number,
    environment: row[3] as Environment,
    state: row[4] as JobState,
    sellerName: row[5] as string,
    requiresProtestDocumentation: row[6] === 1,
    fileName: row[7] as string | null,
    fileBytes: row[8] as number,
    asOf: row[9] as number,
    runCount: row[10] as number,
    createdAt: row[11] as number,
    startedAt: row[12] as number | null,
    finishedAt: row[13] as number | null,
    progress: {
      rowsTotal: row[14] as number | null,
      rowsProcessed: row[15] as number,
      entriesAccepted: row[16] as number,
      entriesRejected: row[17] as number,
    },
    failure: failure === null ? null : JSON.parse(failure),
    findings: findings === null ? null : JSON.parse(findings),
  };
}

/** Back to the state of a job that has not begun; what its file held stays known. */
export function requeueJob(store: Store, id: string): void {
  store.run(
    "UPDATE job SET state = 'queued', started_at = NULL, finished_at = NULL, failure = NULL WHERE id = ?",
    [id],
  );
  setJobProgress(store, id, NO_PROGRESS);
}

export function beginRun(store: Store, id: string, at: number): void {
  store.run("UPDATE job SET state = 'processing', run_count = run_count + 1, started_at = ? WHERE id = ?", [
    at,
    id,
  ]);
}

export function setJobProgress(store: Store, id: string, progress: FileProgress): void {
  store.run(
    `UPDATE job SET rows_total = ?, rows_processed = ?, entries_accepted = ?, entries_rejected = ? WHERE id = ?`,
    [progress.rowsTotal, progress.rowsProcessed, progress.entriesAccepted, progress.entriesRejected, id],
  );
}

export function setJobFindings(store: Store, id: string, findings: FileFindings): void {
  store.run("UPDATE job SET findings = ? WHERE id = ?", [JSON.stringify(findings), id]);
}

export function endRun(
  store: Store,
  id: string,
  end: { at: number; state: JobState; failure: JobFailure | null; progress: FileProgress },
): void {
  const failure = end.failure && JSON.stringify(end.failure);
  store.run("UPDATE job SET state = ?, finished_at = ?, failure = ? WHERE id = ?", [
    end.state,
    end.at,
    failure,
    id,
  ]);
  setJobProgress(store, id, end.progress);
}
