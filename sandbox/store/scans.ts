import type { Scan } from "../../src/contract/operations/scans.ts";
import type { ScanResult } from "../../src/domain/scans/portfolio-scanner.ts";
import type { SCAN_MODES, SCAN_STATES } from "../../src/domain/scans/states.ts";
import * as sql from "./columns.ts";
import { defineTable, type RowOf } from "./table.ts";

/** The entries of completed jobs do not change, so the seqs of the jobs and a day identify what a scan examined. */
export const SCANS = defineTable("main.scan", {
  ...sql.record,
  state: sql.withDefault("queued", sql.textOf<(typeof SCAN_STATES)[number]>()),
  mode: sql.textOf<(typeof SCAN_MODES)[number]>(),
  baseline: sql.nullable(sql.references("scan (id)", sql.text)),
  /** The seqs of the jobs, the latest one first. */
  jobs: sql.json<readonly number[]>(),
  asOf: sql.day,
  createdAt: sql.time,
  startedAt: sql.nullable(sql.time),
  finishedAt: sql.nullable(sql.time),
  /** It is set before the scan completes. */
  result: sql.nullable(sql.jsonBytes<ScanResult>()),
  failure: sql.nullable(sql.json<NonNullable<Scan["failure"]>>()),
});

export type ScanRow = RowOf<typeof SCANS>;
