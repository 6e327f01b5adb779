import { Buffer } from "node:buffer";
import type { DiligenceReport } from "../../src/domain/diligence/report.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const REPORTS = new sql.SqlTable("report", {
  job: sql.integer,
  complete: sql.boolean,
  document: sql.plain<Uint8Array>(),
});

export const addReport = (store: Store, job: number, report: DiligenceReport): void =>
  REPORTS.insert(store, {
    job,
    complete: report.complete,
    document: Buffer.from(JSON.stringify(report)),
  });

/** The JSON text of a report, which every completed or partial job has. */
export const readReport = (store: Store, job: number, complete: boolean): string =>
  sql.decodeText(REPORTS.get(store, { job, complete }).document);
