import { formatThousands } from "../../numbers.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { Entry } from "../entry.ts";
import { EntryFileError } from "../entry-file-error.ts";
import type { FileWarning } from "../file-warnings.ts";
import type { RawRowError } from "../rules/row-error-messages.ts";
import type { Rejections } from "./rejections.ts";

export interface LayoutOptions {
  readonly asOf: Day;
  readonly rejections: Rejections;
  /** Whether to compare rows that may repeat others, as the first pass asked for. */
  readonly isSecondPass: boolean;
  /** Gets the accepted entries that are complete while rows are read. */
  readonly onEntry: (entry: Entry) => void;
}

/** Reads the rows of one layout. */
export interface LayoutReader {
  /** Whether some rows may repeat others, and were not compared. */
  readonly needsSecondPass: boolean;
  /** The errors of the row that was read last. */
  readonly rowErrors: readonly RawRowError[];
  /** About rows of the whole file; complete after the last row. */
  readonly fileWarnings: readonly FileWarning[];
  /** Returns the index of the row's entry, in the order of first rows. */
  read(record: CsvRecord, line: number): number;
  /** After the last row: the other accepted entries. */
  entries(): Iterable<Entry>;
  /** 1 for each rejected entry; null if an entry is its row. */
  rejectedGroups(): Uint8Array | null;
}

/** The limit of diligence-model §1. */
const MAX_ENTRIES = 1_000_000;

/** @param line of the first row of the last entry. @throws EntryFileError TOO_MANY_ENTRIES */
export function checkEntryCount(entries: number, line: number): void {
  if (entries <= MAX_ENTRIES) return;
  const message = `Line ${line} starts entry ${formatThousands(entries)}, but a file has at most ${formatThousands(MAX_ENTRIES)}. Split the file.`;
  throw new EntryFileError("TOO_MANY_ENTRIES", line, message);
}
