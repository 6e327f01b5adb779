import { Buffer } from "node:buffer";
import type { Entry } from "../../src/domain/entries/entry.ts";
import type { Store } from "./open.ts";
import { decodeText } from "./sql-table.ts";

/** 2³²: a file has fewer lines, and 2²¹ jobs fit below 2⁵³. */
const LINES_PER_JOB = 4_294_967_296;

export interface AcceptedEntry {
  readonly entry: Entry;
  readonly deferred: boolean;
}

/** Adds entries, in file order, as one page: a row of their own for each would cost more than reading them did. */
export function addEntries(store: Store, job: number, entries: readonly AcceptedEntry[]): void {
  const [first] = entries;
  if (!first) return;
  // As bytes: binding a long string costs sql.js a loop over its characters.
  const document = Buffer.from(JSON.stringify(entries.map(toValues)));
  store.run("INSERT INTO entry_page (id, document) VALUES (?, ?)", [
    job * LINES_PER_JOB + first.entry.line,
    document,
  ]);
}

/** What an entry says, without names; what the model says about it follows from this and is not kept. */
function toValues({ entry, deferred }: AcceptedEntry) {
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
    deferred ? 1 : 0,
  ] as const;
}

type EntryValues = ReturnType<typeof toValues>;

const isDeferred = (values: EntryValues): boolean => values[24] === 1;

function toEntry(values: EntryValues): Entry {
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

/** Removes the pages that begin at the lines from…to. */
export function removeEntries(store: Store, job: number, from: number, to: number): void {
  store.run("DELETE FROM entry_page WHERE id BETWEEN ? AND ?", [
    job * LINES_PER_JOB + from,
    job * LINES_PER_JOB + to,
  ]);
}

/** The entries of a job in file order, a page at a time; a page is read when it is asked for. */
export function* readEntryPages(
  store: Store,
  job: number,
  { includeDeferred }: { readonly includeDeferred: boolean },
): Generator<Entry[]> {
  for (let after = job * LINES_PER_JOB; ; ) {
    const [row] = store.all(
      "SELECT id, document FROM entry_page WHERE id > ? AND id < ? ORDER BY id LIMIT 1",
      [after, (job + 1) * LINES_PER_JOB],
    );
    if (!row) return;
    const [id, document] = row as [number, Uint8Array];
    after = id;
    const page = JSON.parse(decodeText(document)) as EntryValues[];
    yield page.filter((values) => includeDeferred || !isDeferred(values)).map(toEntry);
  }
}
