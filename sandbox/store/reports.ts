import { Buffer } from "node:buffer";
import type { DiligenceReport } from "../../src/domain/diligence/report.ts";
import type { Store } from "./open.ts";
import { boolean, decodeText, integer, plain, SqlTable } from "./sql-table.ts";

const REPORTS = new SqlTable("report", {
  job: integer,
  complete: boolean,
  document: plain<Uint8Array>(),
});

export const addReport = (store: Store, job: number, report: DiligenceReport): void =>
  REPORTS.insert(store, {
    job,
    complete: report.complete,
    document: Buffer.from(JSON.stringify(report)),
  });

/** The JSON text of a report, which every completed or partial job has. */
export const readReport = (store: Store, job: number, complete: boolean): string =>
  decodeText(REPORTS.get(store, { job, complete }).document);
