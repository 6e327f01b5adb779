import type { CsvRecord } from "./csv/csv-record.ts";
import type { Day } from "./dates.ts";
import type { FileWarning } from "./file-warnings.ts";
import type { DuplicateColumn, Header } from "./header.ts";
import type { Row } from "./rules/row.ts";
import { RowReader } from "./rules/row-reader.ts";

/** Finds a row in which two headings of one column have different values (diligence-model §1, `COLUMN_TWICE`). */
export class ColumnConflict {
  readonly #duplicate: DuplicateColumn;
  readonly #one: RowReader;
  readonly #other: RowReader;
  #conflictLine: number | null = null;

  constructor(duplicate: DuplicateColumn, header: Header, asOf: Day) {
    const { column, index } = duplicate;
    this.#duplicate = duplicate;
    this.#one = new RowReader({ ...header, columns: [column] }, asOf);
    this.#other = new RowReader({ ...header, columns: [{ ...column, index }] }, asOf);
  }

  check(record: CsvRecord, line: number): void {
    const { column, index } = this.#duplicate;
    if (this.#conflictLine !== null || record.cellText(column.index) === record.cellText(index)) return;
    const [one, other] = [this.#one, this.#other].map((reader) => describeValue(reader.read(record, line)));
    if (one !== other) this.#conflictLine = line;
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const { column, heading } = this.#duplicate;
    const line = this.#conflictLine;
    if (line === null) return [];
    const detail = `"${column.heading}" and "${heading}" are names of one column, ${column.name}, and differ on line ${line}. Only "${column.heading}" is read. Remove the column that is not meant.`;
    return [
      { code: "COLUMN_TWICE", severity: "warn", detail, columns: [column.heading, heading], lines: [line] },
    ];
  }
}

/** Of a row with one column. A faulty cell is its text. */
const describeValue = (row: Row): string => JSON.stringify({ ...row, warningMask: 0 }).toLowerCase();
