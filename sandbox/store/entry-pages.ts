import { Buffer } from "node:buffer";
import { ENTRY_FIELDS, type Entry, type EntryField } from "../../src/domain/entries/entry.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable } from "./table.ts";

/** Accepted entries, some hundred in a page. */
export const ENTRY_PAGES = defineTable("bulk.entry_page", {
  /** job.seq × 2³² + line of the first entry: the pages of a job are neighbours, and a new page is appended. */
  id: { ...sql.seq, canOmit: false },
  /** A JSON array with one array of values per entry. */
  document: sql.blob,
});

/** 2³²: a file has fewer lines, and 2²¹ jobs fit below 2⁵³. */
const LINES_PER_JOB = 4_294_967_296;

const FIELDS = Object.keys(ENTRY_FIELDS) as readonly EntryField[];

export interface AcceptedEntry {
  readonly entry: Entry;
  readonly deferred: boolean;
}

/** Adds entries, in file order, as one page: a row for each entry would take longer than reading the file. */
export function addEntries(store: Store, jobSeq: number, entries: readonly AcceptedEntry[]): void {
  const [first] = entries;
  if (!first) return;
  // As bytes: to bind a long string, sql.js loops over its characters.
  const document = Buffer.from(JSON.stringify(entries.map(toValues)));
  ENTRY_PAGES.insert(store, { id: jobSeq * LINES_PER_JOB + first.entry.line, document });
}

/** The values by ENTRY_FIELDS, and whether it is deferred. */
const toValues = ({ entry, deferred }: AcceptedEntry): unknown[] => [
  ...FIELDS.map((field) => entry[field]),
  deferred ? 1 : 0,
];

function toEntry(values: readonly unknown[]): Entry {
  const entry: Partial<Record<EntryField, unknown>> = {};
  for (let index = 0; index < FIELDS.length; index += 1) entry[FIELDS[index] as EntryField] = values[index];
  return entry as Entry;
}

export function removeEntries(store: Store, jobSeq: number, from: number, to: number): void {
  const start = jobSeq * LINES_PER_JOB;
  store.run("DELETE FROM entry_page WHERE id BETWEEN ? AND ?", [start + from, start + to]);
}

export function* readEntryPages(
  store: Store,
  jobSeq: number,
  { includeDeferred }: { readonly includeDeferred: boolean },
): Generator<Entry[]> {
  for (const page of readPages(store, jobSeq, 0))
    yield page.filter((values) => includeDeferred || values[FIELDS.length] === 0).map(toEntry);
}

/** The accepted entries behind a line, page by page. */
export function* readAcceptedEntries(store: Store, jobSeq: number, line: number): Generator<AcceptedEntry[]> {
  for (const page of readPages(store, jobSeq, line)) {
    const entries = page.map((values) => ({ entry: toEntry(values), deferred: values[FIELDS.length] === 1 }));
    yield entries.filter(({ entry }) => entry.line > line);
  }
}

/** The pages from the one that has `line`, which may be on the page that begins before it. */
function* readPages(store: Store, jobSeq: number, line: number): Generator<unknown[][]> {
  const start = jobSeq * LINES_PER_JOB;
  const first = store.get("SELECT MAX(id) FROM entry_page WHERE id BETWEEN ? AND ?", [start, start + line]);
  for (let after = Math.max(start, ((first?.[0] as number | null) ?? start + 1) - 1); ; ) {
    const row = store.get("SELECT id, document FROM entry_page WHERE id > ? AND id < ? ORDER BY id LIMIT 1", [
      after,
      start + LINES_PER_JOB,
    ]);
    if (!row) return;
    const [id, document] = row as [number, Uint8Array];
    after = id;
    yield JSON.parse(sql.decodeText(document)) as unknown[][];
  }
}
