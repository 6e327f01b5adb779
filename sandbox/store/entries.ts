import { Buffer } from "node:buffer";
import type { Entry } from "../../src/domain/entries/entry.ts";
import type { SqlValue, Store } from "./open.ts";

/** 2³²: a file has fewer lines, and 2²¹ jobs fit below 2⁵³. */
const LINES_PER_JOB = 4_294_967_296;

/** Rows of one INSERT: a third of what as many single ones take, and more bring nothing. */
const BATCH = 16;

const INSERT = "INSERT INTO entry (id, deferred, document) VALUES ";
const INSERT_ONE = `${INSERT}(?, ?, ?)`;
const INSERT_BATCH = INSERT + Array.from({ length: BATCH }, () => "(?, ?, ?)").join(", ");

export interface AcceptedEntry {
  readonly entry: Entry;
  readonly deferred: boolean;
}

export function addEntries(store: Store, job: number, entries: readonly AcceptedEntry[]): void {
  const batched = entries.length - (entries.length % BATCH);
  for (let at = 0; at < batched; at += BATCH) {
    const parameters: SqlValue[] = [];
    for (const accepted of entries.slice(at, at + BATCH)) parameters.push(...rowOf(job, accepted));
    store.run(INSERT_BATCH, parameters);
  }
  for (const accepted of entries.slice(batched)) store.run(INSERT_ONE, rowOf(job, accepted));
}

/** The document as bytes: binding a long string costs sql.js a loop over its characters. */
function rowOf(
  job: number,
  { entry, deferred }: AcceptedEntry,
): [id: number, deferred: number, document: Buffer] {
  return [job * LINES_PER_JOB + entry.line, deferred ? 1 : 0, Buffer.from(JSON.stringify(valuesOf(entry)))];
}

/** What an entry says, without names; what the model says about it follows from this and is not kept. */
function valuesOf(entry: Entry) {
  return [
    entry.line,
    entry.entryNumber,
    entry.entryTypeCode,
    entry.importerNumber,
    entry.importerName,
    entry.portOfEntryCode,
    entry.entryDate,
    entry.entrySummaryDate,
    entry.countryOfOriginCode,
    entry.htsNumber,
    entry.chapter99Numbers,
    entry.enteredValueCents,
    entry.baseDutyCents,
    entry.ieepaDutyCents,
    entry.otherChapter99DutyCents,
    entry.liquidationStatus,
    entry.liquidationDate,
    entry.reconciliation,
    entry.drawback,
    entry.protestNumber,
    entry.protestStatus,
    entry.protestDecisionDate,
    entry.warnings,
    entry.extra,
  ] as const;
}

function decode(document: Uint8Array): Entry {
  const values = JSON.parse(
    Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString(),
  ) as ReturnType<typeof valuesOf>;
  return {
    line: values[0],
    entryNumber: values[1],
    entryTypeCode: values[2],
    importerNumber: values[3],
    importerName: values[4],
    portOfEntryCode: values[5],
    entryDate: values[6],
    entrySummaryDate: values[7],
    countryOfOriginCode: values[8],
    htsNumber: values[9],
    chapter99Numbers: values[10],
    enteredValueCents: values[11],
    baseDutyCents: values[12],
    ieepaDutyCents: values[13],
    otherChapter99DutyCents: values[14],
    liquidationStatus: values[15],
    liquidationDate: values[16],
    reconciliation: values[17],
    drawback: values[18],
    protestNumber: values[19],
    protestStatus: values[20],
    protestDecisionDate: values[21],
    warnings: values[22],
    extra: values[23],
  };
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
  /** Entries after this line of the file. */
  readonly afterLine: number;
  readonly includeDeferred: boolean;
  readonly limit: number;
}

/** The next entries in file order; found by key, so that the last page costs what the first one does. */
export function readEntries(store: Store, page: EntryPage): Entry[] {
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
