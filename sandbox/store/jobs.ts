import type { Job } from "../../src/contract/operations/diligence.ts";
import type { FileProgress } from "../../src/domain/diligence/assessment.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./store.ts";
import { defineTable, type RowOf } from "./table.ts";

export type JobFailure = NonNullable<Job["failure"]>;

/** What reading the file found. The outcome of every run follows from it. */
export interface FileFindings {
  readonly fileError: JobFailure | null;
  /** The line of the first row that makes the first run fail, and of the one that makes every run fail. */
  readonly failsOnce: number | null;
  readonly failsAlways: number | null;
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

export const NO_FINDINGS: FileFindings = {
  fileError: null,
  failsOnce: null,
  failsAlways: null,
  deferred: 0,
  slow: false,
  progress: NO_PROGRESS,
};

export const JOBS = defineTable("main.job", {
  ...sql.record,
  state: sql.withDefault("queued", sql.textOf<JobState>()),
  sellerName: sql.text,
  requiresProtestDocumentation: sql.boolean,
  fileName: sql.nullable(sql.text),
  fileBytes: sql.integer,
  asOf: sql.day,
  runCount: sql.withDefault(0, sql.integer),
  createdAt: sql.time,
  startedAt: sql.nullable(sql.time),
  finishedAt: sql.nullable(sql.time),
  /** Null until the end of the file. */
  rowsTotal: sql.nullable(sql.integer),
  ...each(() => sql.withDefault(0, sql.integer), "rowsProcessed", "entriesAccepted", "entriesRejected"),
  failure: sql.nullable(sql.json<JobFailure>()),
  /** Null before the file has been read. */
  findings: sql.nullable(sql.json<FileFindings>()),
});

export type JobRow = RowOf<typeof JOBS>;

/** The seqs of the caller's completed jobs, the latest first. */
export function listCompletedJobSeqs(store: Store, { partner, environment }: Caller): number[] {
  const rows = store.all(
    "SELECT seq FROM job WHERE partner = ? AND environment = ? AND state = 'completed' ORDER BY seq DESC",
    [partner, environment],
  );
  return rows.map(([seq]) => seq as number);
}
