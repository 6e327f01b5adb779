import { Buffer } from "node:buffer";
import { datasetRow as rowSchema } from "../../src/contract/diligence.ts";
import type { DatasetRow } from "../../src/domain/diligence/dataset.ts";
import type { Store } from "./open.ts";

const COLUMNS = Object.keys(rowSchema.properties) as (keyof DatasetRow)[];

/** 2³²: a file has fewer lines, and 2²¹ jobs fit below 2⁵³. */
const LINES_PER_JOB = 4_294_967_296;

/**
 * Values without their names, which are the contract's, in its order. As bytes: binding a long string costs sql.js a
 * loop over its characters.
 */
const encode = (row: DatasetRow): Buffer => Buffer.from(JSON.stringify(Object.values(row)));

function decode(document: Uint8Array): DatasetRow {
  const values = JSON.parse(Buffer.from(document.buffer).toString()) as unknown[];
  return Object.fromEntries(COLUMNS.map((name, index) => [name, values[index]])) as unknown as DatasetRow;
}

export function addEntry(store: Store, job: number, row: DatasetRow, deferred: boolean): void {
  store.run("INSERT INTO entry (id, deferred, document) VALUES (?, ?, ?)", [
    job * LINES_PER_JOB + row.line,
    deferred ? 1 : 0,
    encode(row),
  ]);
}

/** Removes the entries of the lines from…to. */
export function removeEntries(store: Store, job: number, from: number, to: number): void {
  store.run("DELETE FROM entry WHERE id BETWEEN ? AND ?", [
    job * LINES_PER_JOB + from,
    job * LINES_PER_JOB + to,
  ]);
}

export interface EntryPage {
  readonly job: number;
  /** Rows after this line of the file. */
  readonly afterLine: number;
  readonly includeDeferred: boolean;
  readonly limit: number;
}

/** The next rows in file order; found by key, so that the last page costs what the first one does. */
export function readEntries(store: Store, page: EntryPage): DatasetRow[] {
  const rows = store.all(
    "SELECT document FROM entry WHERE id > ? AND id < ? AND deferred <= ? ORDER BY id LIMIT ?",
    [
      page.job * LINES_PER_JOB + page.afterLine,
      (page.job + 1) * LINES_PER_JOB,
      page.includeDeferred ? 1 : 0,
      page.limit,
    ],
  );
  return rows.map(([document]) => decode(document as Uint8Array));
}
