import { formatCount } from "../numbers.ts";
import { ColumnConflict } from "./column-conflict.ts";
import { trimCell } from "./csv/cell-text.ts";
import { copyText } from "./csv/copy-text.ts";
import { CsvReader } from "./csv/csv-reader.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import type { Day } from "./dates.ts";
import type { Entry, Layout } from "./entry.ts";
import { EntryFileError } from "./entry-file-error.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";
import { countKnownHeadings, type Header, readHeader, WHOLE_LINE_QUOTED } from "./header.ts";
import { EntryRowReader } from "./layouts/entry-row-reader.ts";
import { Es003RowReader } from "./layouts/es003-row-reader.ts";
import type { LayoutReader } from "./layouts/layout-reader.ts";
import { Rejections } from "./layouts/rejections.ts";
import { hasOtherHeadings, isAmountColumn, MIN_HEADINGS } from "./other-header.ts";
import type { RawRowError } from "./rules/row-error-messages.ts";
import { isTotalsCell } from "./rules/totals-label.ts";
import { ShiftedCells } from "./shifted-cells.ts";
import { SwallowedRows } from "./swallowed-rows.ts";

interface ReadingOptions {
  readonly asOf: Day;
  /** Gets the entries of the entry layout while their rows are read. */
  onEntry?(entry: Entry): void;
  onHeader?(cells: readonly string[], header: Header): void;
  /**
   * @param record is reused after the call
   * @param entry index in the order of first rows
   * @param errors of this row alone
   */
  onRow?(record: CsvRecord, line: number, entry: number, errors: readonly RawRowError[]): void;
  /** Whether to compare rows that may repeat others, as the first pass asked for. */
  readonly isSecondPass?: boolean;
}

/** Reads an entry file of either layout in pieces, after `FileCheck`. Throws the first EntryFileError in file order. */
export class EntryFileReader {
  readonly rejections = new Rejections();
  /** Rows read so far, without blank ones. */
  rowCount = 0;
  hasEnded = false;
  readonly #options: ReadingOptions;
  readonly #csv = new CsvReader((record, line) => this.#readRecord(record, line));
  readonly #swallowedRows = new SwallowedRows();
  #shiftedCells: ShiftedCells | null = null;
  /** Of a second export, with its columns in another order. */
  readonly #otherHeadings = new LineList();
  #columnConflicts: readonly ColumnConflict[] = [];
  #headings: readonly string[] = [];
  #lastRecord: CsvRecord | null = null;
  #header: Header | null = null;
  /** A first line without the required headings, until the header below it is found. */
  #titleLine: TitleLine | null = null;
  #rows: LayoutReader | null = null;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get layout(): Layout | null {
    return this.#header?.layout ?? null;
  }

  /** After {@link end}: whether some rows may repeat others, which a second pass finds out. */
  get needsSecondPass(): boolean {
    return this.#options.isSecondPass !== true && this.#rows?.needsSecondPass === true;
  }

  /** Complete after {@link end}. Those that stop a submission come first. */
  get fileWarnings(): readonly FileWarning[] {
    const all = [
      ...this.#swallowedRows.fileWarnings(),
      ...(this.#shiftedCells?.fileWarnings() ?? []),
      ...(this.#rows?.fileWarnings ?? []),
      ...this.#warnAboutOtherHeadings(),
      ...this.#columnConflicts.flatMap((conflict) => conflict.fileWarnings()),
      ...(this.#header?.fileWarnings ?? []),
      ...this.#warnAboutEnd(),
    ];
    return all.toSorted((one, other) => Number(other.severity === "stop") - Number(one.severity === "stop"));
  }

  #warnAboutOtherHeadings(): FileWarning[] {
    const detail = `On ${this.#otherHeadings}, other headings stand than on line 1, or in another order, and the rows below are read as on line 1. Submit the two exports apart.`;
    return this.#otherHeadings.warn("HEADINGS_DIFFER", "stop", detail, {});
  }

  /** A file that was cut off ends anywhere in a row. Cut in an amount, the amount is wrong. */
  #warnAboutEnd(): FileWarning[] {
    if (this.#csv.endsWithLineFeed || this.#header === null || this.#lastRecord === null) return [];
    const { columns, width } = this.#header;
    const line = this.#csv.line - 1;
    const cut = columns.find(({ index, name }) => index === width - 1 && isAmountColumn(name));
    const isCutAmount = cut !== undefined && trimCell(this.#lastRecord.cellText(width - 1)) !== "";
    const detail = `Line ${line} is the last one and has no line end, as in a file that was cut off. Compare it with the last row of the export.`;
    const warning: FileWarning = { code: "NO_FINAL_LINE_END", severity: "warn", detail, lines: [line] };
    return [isCutAmount ? { ...warning, columns: [cut.heading] } : warning];
  }

  push(bytes: Uint8Array): void {
    this.#withTitleLineError(() => this.#csv.push(bytes));
  }

  end(): void {
    this.#withTitleLineError(() => this.#csv.end());
    if (this.#titleLine !== null) throw this.#titleLine.error;
    const message = "The file has no rows below its header. Add the entries.";
    if (this.rowCount === 0) throw new EntryFileError("NO_DATA_ROWS", null, message);
    this.hasEnded = true;
  }

  /** After {@link end}: the accepted entries of the es003 layout in the order of their first rows. */
  groupedEntries(): Iterable<Entry> {
    return this.#rows?.entries() ?? [];
  }

  /** After {@link end}: 1 for each rejected entry of es003. Null in the entry layout, where an entry is its row. */
  rejectedGroups(): Uint8Array | null {
    return this.#rows?.rejectedGroups() ?? null;
  }

  /** Frees the memory of the rows, when only rejections and counts are still needed. */
  releaseRows(): void {
    this.#rows = null;
  }

  #readRecord(record: CsvRecord, line: number): void {
    if (this.#header === null || this.#rows === null) {
      this.#readHeader(record, line);
      return;
    }
    if (isBlankRecord(record)) return;
    checkWidth(record, this.#header.width, line);
    if (record.isMultiLine) this.#swallowedRows.check(record, line, this.#headings);
    this.#shiftedCells?.check(record, line);
    for (const conflict of this.#columnConflicts) conflict.check(record, line);
    this.#lastRecord = record;
    this.rowCount += 1;
    const entry = this.#rows.read(record, line);
    const { rowErrors } = this.#rows;
    this.#options.onRow?.(record, line, entry, rowErrors);
    if (
      rowErrors.length >= MIN_HEADINGS &&
      hasOtherHeadings(record.cellTexts(), this.#header, this.rowCount === 1)
    )
      this.#otherHeadings.add(line);
  }

  #readHeader(record: CsvRecord, line: number): void {
    const cells = record.cellTexts();
    if (this.#titleLine !== null) {
      checkForHeader(this.#titleLine, cells, line);
      return;
    }
    let header: Header;
    try {
      header = readHeader(cells);
    } catch (error) {
      if (!(error instanceof EntryFileError) || error.code !== "REQUIRED_COLUMN_MISSING") throw error;
      // The first line may be a title. The header is then some lines below.
      this.#titleLine = { error, headings: countKnownHeadings(cells) };
      return;
    }
    this.#start(header);
    this.#headings = cells.map((cell) => copyText(cell.trim()));
    this.#shiftedCells = new ShiftedCells(header, this.#headings);
    if (record.isMultiLine) this.#swallowedRows.check(record, line, this.#headings);
    this.#options.onHeader?.(cells, header);
  }

  /** Below a first line without headings, only the error about it counts: it is the first in file order. */
  #withTitleLineError(read: () => void): void {
    try {
      read();
    } catch (error) {
      const isOther = error instanceof EntryFileError && error.code !== "REQUIRED_COLUMN_MISSING";
      throw (isOther && this.#titleLine?.error) || error;
    }
  }

  #start(header: Header): void {
    const { asOf, isSecondPass = false, onEntry = () => {} } = this.#options;
    const RowReader = header.layout === "entry" ? EntryRowReader : Es003RowReader;
    this.#header = header;
    this.#columnConflicts = header.duplicateColumns.map(
      (duplicate) => new ColumnConflict(duplicate, header, asOf),
    );
    this.rejections.start(header.columns);
    this.#rows = new RowReader(header, { asOf, isSecondPass, onEntry, rejections: this.rejections });
  }
}

/** A first line that is not the header, and how many known headings it has. */
interface TitleLine {
  readonly error: EntryFileError;
  readonly headings: number;
}

const MAX_TITLE_LINES = 20;

/** Throws the error of the first line, which names this line if it looks like the header. */
function checkForHeader({ error, headings }: TitleLine, cells: readonly string[], line: number): void {
  const found = countKnownHeadings(cells);
  const message = `The first line has no headings, and line ${line} looks like the header; remove the lines above it.`;
  if (found >= MIN_HEADINGS && found > headings)
    throw new EntryFileError("REQUIRED_COLUMN_MISSING", 1, message, line);
  if (line > MAX_TITLE_LINES) throw error;
}

function isBlankRecord(record: CsvRecord): boolean {
  // Nearly every record begins with a visible character, which needs no text to be seen.
  const first = record.units[record.starts[0] ?? 0] ?? 0;
  if (first > 0x20 && first < 0x7f && record.starts[0] !== record.ends[0]) return false;
  for (let index = 0; index < record.count; index += 1) {
    if (trimCell(record.cellText(index)) !== "") return false;
  }
  return true;
}

function checkWidth(record: CsvRecord, expected: number, line: number): void {
  const found = record.count;
  if (found === expected) return;
  const advice = adviseWidth(record.cellText(0).trim(), found, expected);
  const message = `Line ${line} has ${formatCount(found, "cell")}, but the header has ${expected}. ${advice}`;
  throw new EntryFileError("ROW_WIDTH", line, message);
}

function adviseWidth(firstCell: string, cells: number, expected: number): string {
  if (isTotalsCell(firstCell)) return "It looks like a totals row: remove it.";
  if (firstCell === "\u001a") return "It is the end mark of an old program (Ctrl-Z): remove it.";
  if (cells === 1 && firstCell.includes(",")) return WHOLE_LINE_QUOTED;
  if (cells === 1) return "If it is a note or the end of a report, remove it.";
  // Without the line end between them, the last cell of the first row and the first of the second are one.
  if (cells === 2 * expected || cells === 2 * expected - 1)
    return "Two rows seem to stand on this line: write each on a line of its own.";
  return cells < expected
    ? "Look there for a missing comma, or blank cells at its end that a program left out."
    : "Look there for an unquoted comma. If all rows are so, a heading is missing.";
}
