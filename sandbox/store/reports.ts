import { Buffer } from "node:buffer";
import type { DiligenceReport } from "../../src/domain/diligence/report.ts";
import type { Store } from "./open.ts";

export function addReport(store: Store, job: number, report: DiligenceReport): void {
  store.run("INSERT INTO report (job, complete, document) VALUES (?, ?, ?)", [
    job,
    report.complete ? 1 : 0,
    Buffer.from(JSON.stringify(report)),
  ]);
}

/** The report as it was computed, JSON text; it exists for every job that ended completed or partial. */
export function readReport(store: Store, job: number, complete: boolean): string {
  const row = store.get("SELECT document FROM report WHERE job = ? AND complete = ?", [
    job,
    complete ? 1 : 0,
  ]);
  if (!row) throw new Error(`job ${job} ended without its report`);
  return Buffer.from(row[0] as Uint8Array).toString();
}
