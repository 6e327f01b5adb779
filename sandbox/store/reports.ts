import { Buffer } from "node:buffer";
import type { DiligenceReport } from "../../src/domain/diligence/assessment.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable } from "./table.ts";

/** The report on all entries, and where entries are deferred also the report without them. */
export const REPORTS = defineTable(
  "main.report",
  {
    job: sql.references("job", sql.integer),
    complete: sql.boolean,
    /** JSON without job id and contract version. */
    document: sql.blob,
  },
  { key: ["job", "complete"] },
);

export const addReport = (store: Store, job: number, report: DiligenceReport): void =>
  REPORTS.insert(store, {
    job,
    complete: report.complete,
    document: Buffer.from(JSON.stringify(report)),
  });

/** The estimated claim of a report, without the rest of it; null where there is no report. */
export function readClaimCents(store: Store, job: number, complete: boolean): number | null {
  const cents = "json_extract(CAST(document AS TEXT), '$.totals.estimatedClaimCents')";
  const row = store.get(`SELECT ${cents} FROM report WHERE job = ? AND complete = ?`, [
    job,
    complete ? 1 : 0,
  ]);
  return (row?.[0] as number | null | undefined) ?? null;
}

export const readReport = (store: Store, job: number, complete: boolean): string =>
  sql.decodeText(REPORTS.get(store, { job, complete }).document);
