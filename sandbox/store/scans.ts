import type { Scan } from "../../src/contract/scans.ts";
import type { ScanResult } from "../../src/domain/scans/portfolio-scanner.ts";
import type { ScanMode, ScanState } from "../../src/domain/scans/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const SCANS = new sql.SqlTable("scan", {
  id: sql.text,
  ...sql.owner,
  state: sql.plain<ScanState>(),
  mode: sql.plain<ScanMode>(),
  /** The id of the scan that this one is compared with. */
  baseline: sql.optionalText,
  /** Seqs, the latest first. */
  jobs: sql.json<readonly number[]>(),
  asOf: sql.integer,
  createdAt: sql.integer,
  startedAt: sql.optionalInteger,
  finishedAt: sql.optionalInteger,
  /** Set before the scan completes. */
  result: sql.jsonBytes<ScanResult | null>(),
  /** Set before the scan fails. */
  failure: sql.json<NonNullable<Scan["failure"]> | null>(),
});

/** Times in milliseconds. */
export type ScanRow = sql.RowOf<typeof SCANS>;

type NewScan = Omit<ScanRow, "state" | "startedAt" | "finishedAt" | "result" | "failure">;

export const addScan = (store: Store, scan: NewScan): void =>
  SCANS.insert(store, { ...scan, state: "queued" });

/** Finds the scan of any caller. */
export const findScan = (store: Store, id: string): ScanRow | undefined => SCANS.find(store, { id });

export const findOwnedScan = (store: Store, caller: Caller, id: string): ScanRow | undefined =>
  SCANS.find(store, { ...sql.ownerOf(caller), id });

export const updateScan = (store: Store, id: string, changes: Partial<ScanRow>): void =>
  SCANS.update(store, { id }, changes);

/** Ends the scan: failed where a failure was set, otherwise completed. */
export function endScan(store: Store, id: string, at: number): void {
  store.run(
    "UPDATE scan SET state = iif(failure IS NULL, 'completed', 'failed'), finished_at = ? WHERE id = ?",
    [at, id],
  );
}
