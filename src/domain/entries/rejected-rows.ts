import { escapeFormula, quoteCsvCell } from "../text.ts";
import { trimCell, unwrapTextForm } from "./csv/cell-text.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import type { Day } from "./dates.ts";
import { EntryFileReader } from "./entry-file-reader.ts";
import { createNamer, type Header, type LocatedColumn } from "./header.ts";
import { describeRowErrors, type RowError } from "./rules/row-error-messages.ts";

/** After the columns of the entry file. */
export const ADDED_COLUMNS = ["line", "codes", "reasons"] as const;

/** The reason of a row without an error, whose entry has one in another row. */
const OTHER_ROW = "This row has no error of its own: another row of its entry has.";

/**
 * Picks the rejected rows of a file, which it reads again: a later row may reject an entry. It writes them as CSV: their
 * cells, then line, codes and reasons. A cell that would run as a formula gets a `'`.
 */
export class RejectedRowPicker {
  count = 0;
  readonly #reader: EntryFileReader;
  #text: string[] = [];
  #knownIndexes: ReadonlySet<number> = new Set();
  #columns: readonly LocatedColumn[] = [];

  constructor(asOf: Day, rejectedGroups: Uint8Array | null) {
    this.#reader = new EntryFileReader({
      asOf,
      onHeader: (cells, header) => this.#writeHeader(cells, header),
      onRow: (record, line, entry, errors) => {
        const isRejected = rejectedGroups === null ? errors.length > 0 : rejectedGroups[entry] === 1;
        if (isRejected) this.#writeRow(record, line, describeRowErrors(errors, this.#columns));
      },
    });
  }

  /** Returns the lines that are complete. */
  push(bytes: Uint8Array): string {
    this.#reader.push(bytes);
    return this.#take();
  }

  end(): string {
    this.#reader.end();
    return this.#take();
  }

  #writeHeader(cells: readonly string[], { columns }: Header): void {
    this.#knownIndexes = new Set(columns.map(({ index }) => index));
    this.#columns = columns;
    const toFreeName = createNamer(cells.map((cell) => cell.trim()));
    this.#addLine([...cells.map(escapeFormula), ...ADDED_COLUMNS.map(toFreeName)]);
  }

  #writeRow(record: CsvRecord, line: number, errors: readonly RowError[]): void {
    this.count += 1;
    const cells = record.cellTexts().map((cell, index) => this.#escapeCell(cell, index));
    const codes = errors.map(({ code }) => code).join(";");
    const reasons = errors.map(({ column, detail }) => `${column}: ${detail}`);
    this.#addLine([...cells, String(line), codes, escapeFormula(reasons.join(" ") || OTHER_ROW)]);
  }

  #take(): string {
    const text = this.#text.join("");
    this.#text = [];
    return text;
  }

  #addLine(cells: readonly string[]): void {
    this.#text.push(`${cells.map(quoteCsvCell).join(",")}\r\n`);
  }

  #escapeCell(cell: string, index: number): string {
    const shown = this.#knownIndexes.has(index) ? unwrapTextForm(trimCell(cell)) : cell;
    return escapeFormula(shown) === shown ? cell : `'${cell}`;
  }
}
