import { CsvReader } from "./csv/csv-reader.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import type { Day } from "./dates.ts";
import type { Entry, FileWarningCode, Layout } from "./entry.ts";
import { EntryFileError } from "./entry-file-error.ts";
import { type Header, readHeader } from "./header.ts";
import { EntryLayout } from "./layouts/entry-layout.ts";
import { Es003Layout } from "./layouts/es003-layout.ts";
import { Rejections } from "./layouts/rejections.ts";

/** Diligence-model §1. */
const MAX_ENTRIES = 1_000_000;

/**
 * An entry file of either layout, from bytes in pieces of any size to accepted entries and rejections. The encoding is
 * checked before (`EncodingCheck`). Throws EntryFileError; the first in file order wins.
 */
export class EntryFileReader {
  readonly rejections = new Rejections();
  readonly #asOf: Day;
  readonly #onEntry: (entry: Entry) => void;
  readonly #csv = new CsvReader((record, line) => this.#readRecord(record, line));
  #header: Header | null = null;
  #entryLayout: EntryLayout | null = null;
  #es003Layout: Es003Layout | null = null;
  #rowCount = 0;
  #hasEnded = false;

  /** `accept` gets the entries of the entry layout while their rows are read. */
  constructor(asOf: Day, accept: (entry: Entry) => void) {
    this.#asOf = asOf;
    this.#onEntry = accept;
  }

  get layout(): Layout | null {
    return this.#header?.layout ?? null;
  }

  get fileWarnings(): readonly FileWarningCode[] {
    return this.#header?.fileWarnings ?? [];
  }

  /** Rows read so far, blank ones not counted. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** True when no more rows can come. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  push(bytes: Uint8Array): void {
    this.#csv.push(bytes);
  }

  /** The end of the file: its last record may have no line end. */
  end(): void {
    this.#csv.end();
    if (this.#rowCount === 0) {
      throw new EntryFileError(
        "NO_DATA_ROWS",
        null,
        "The file has no rows below its header. Add the entries to it.",
      );
    }
    this.#hasEnded = true;
  }

  /** After the end: the accepted entries of the es003 layout in first-row order. */
  *groupedEntries(): Generator<Entry> {
    if (this.#es003Layout !== null) yield* this.#es003Layout.entries();
  }

  #readRecord(record: CsvRecord, line: number): void {
    if (this.#header === null) {
      this.#startLayout(readHeader(record.cellTexts()));
      return;
    }
    if (isBlankRecord(record)) return;
    checkWidth(record.count, this.#header.width, line);
    this.#rowCount += 1;
    if (this.#entryLayout !== null) this.#readEntry(this.#entryLayout, record, line);
    else if (this.#es003Layout !== null) this.#readLine(this.#es003Layout, record, line);
  }

  #startLayout(header: Header): void {
    this.#header = header;
    if (header.layout === "entry") this.#entryLayout = new EntryLayout(header, this.#asOf, this.rejections);
    else this.#es003Layout = new Es003Layout(header, this.#asOf, this.rejections);
  }

  #readEntry(layout: EntryLayout, record: CsvRecord, line: number): void {
    checkEntryCount(this.#rowCount, line);
    const entry = layout.read(record, line);
    if (entry !== null) this.#onEntry(entry);
  }

  #readLine(layout: Es003Layout, record: CsvRecord, line: number): void {
    layout.read(record, line);
    checkEntryCount(layout.groupCount, line);
  }
}

function isBlankRecord(record: CsvRecord): boolean {
  for (let index = 0; index < record.count; index += 1) {
    if (record.cellText(index).trim() !== "") return false;
  }
  return true;
}

function checkWidth(found: number, expected: number, line: number): void {
  if (found === expected) return;
  throw new EntryFileError(
    "ROW_WIDTH",
    line,
    `Line ${line} has ${found} cells, the header has ${expected}. Look there for a missing or unquoted comma.`,
  );
}

function checkEntryCount(entries: number, line: number): void {
  if (entries <= MAX_ENTRIES) return;
  throw new EntryFileError(
    "TOO_MANY_ENTRIES",
    line,
    `Line ${line} starts entry ${formatCount(entries)}; a file holds at most ${formatCount(MAX_ENTRIES)}. Split the file.`,
  );
}

const formatCount = (count: number): string => count.toLocaleString("en-US");
