import { Buffer } from "node:buffer";
import type { Scan } from "../../src/contract/scans.ts";
import type { Day } from "../../src/domain/entries/dates.ts";
import type { ScanResult } from "../../src/domain/scans/portfolio-scanner.ts";
import type { ScanMode, ScanState } from "../../src/domain/scans/states.ts";
import type { Caller, Environment } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";

/** Times in milliseconds. */
export interface NewScan extends Caller {
  readonly id: string;
  readonly mode: ScanMode;
  /** The id of the scan that it is compared with. */
  readonly baseline: string | null;
  /** Their seqs, the latest first. */
  readonly jobs: readonly number[];
  readonly asOf: Day;
  readonly createdAt: number;
}

export interface ScanRow extends NewScan {
  readonly state: ScanState;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Told when the scan is completed. */
  readonly result: ScanResult | null;
  /** In place of findings; told when the scan has failed. */
  readonly failure: ScanFailure | null;
}

export type ScanFailure = NonNullable<Scan["failure"]>;

export function addScan(store: Store, scan: NewScan): void {
  store.run(
    `INSERT INTO scan (partner, environment, id, state, mode, baseline, jobs, as_of, created_at)
     VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?)`,
    [
      scan.partner,
      scan.environment,
      scan.id,
      scan.mode,
      scan.baseline,
      JSON.stringify(scan.jobs),
      scan.asOf,
      scan.createdAt,
    ],
  );
}

/** A scan of whoever; for the engine. */
export function findScan(store: Store, id: string): ScanRow | undefined {
  const row = store.get(
    `SELECT id, partner, environment, state, mode, baseline, jobs, as_of, created_at, started_at, finished_at,
       findings, failure FROM scan WHERE id = ?`,
    [id],
  );
  return row && toScanRow(row);
}

/** Another partner's or environment's scan does not exist for the caller (product.md §5). */
export function findOwnedScan(
  store: Store,
  { partner, environment }: Caller,
  id: string,
): ScanRow | undefined {
  const scan = findScan(store, id);
  return scan?.partner === partner && scan.environment === environment ? scan : undefined;
}

export function beginScan(store: Store, id: string, at: number): void {
  store.run("UPDATE scan SET state = 'processing', started_at = ? WHERE id = ?", [at, id]);
}

export function setScanResult(store: Store, id: string, findings: ScanResult): void {
  store.run("UPDATE scan SET findings = ? WHERE id = ?", [Buffer.from(JSON.stringify(findings)), id]);
}

export function setScanFailure(store: Store, id: string, failure: ScanFailure): void {
  store.run("UPDATE scan SET failure = ? WHERE id = ?", [JSON.stringify(failure), id]);
}

/** As it went: completed, or failed where a failure was set. */
export function endScan(store: Store, id: string, at: number): void {
  store.run(
    "UPDATE scan SET state = iif(failure IS NULL, 'completed', 'failed'), finished_at = ? WHERE id = ?",
    [at, id],
  );
}

const toScanRow = (row: SqlValue[]): ScanRow => ({
  id: row[0] as string,
  partner: row[1] as number,
  environment: row[2] as Environment,
  state: row[3] as ScanState,
  mode: row[4] as ScanMode,
  baseline: row[5] as string | null,
  jobs: JSON.parse(row[6] as string),
  asOf: row[7] as Day,
  createdAt: row[8] as number,
  startedAt: row[9] as number | null,
  finishedAt: row[10] as number | null,
  result: row[11] === null ? null : JSON.parse(Buffer.from(row[11] as Uint8Array).toString()),
  failure: row[12] === null ? null : JSON.parse(row[12] as string),
});
