import { formatCount } from "../../numbers.ts";
import { columnBit } from "../columns.ts";
import { trimCell } from "../csv/cell-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import { isFilled, type Row } from "../rules/row.ts";
import { readTotalsLabel } from "../rules/totals-label.ts";

const HTS_BIT = columnBit("hts_number");

/** Whether a row without an entry number has a tariff number. A label of totals may stand in its place. */
export function isOfEntryAbove(row: Row, record: CsvRecord): boolean {
  if ((row.parsedColumns & HTS_BIT) !== 0) return true;
  return !markTotalsRow(row, record) && isFilled(row, HTS_BIT);
}

/** Whether a row without an entry number has the label of totals. Its error then names the label, and not the whole cell, which may be private. */
export function markTotalsRow(row: Row, record: CsvRecord): boolean {
  for (let index = 0; index < record.count; index += 1) {
    if (record.starts[index] === record.ends[index]) continue;
    const cell = readTotalsLabel(trimCell(record.cellText(index)));
    if (cell === "") continue;
    row.errors = row.errors.map((error) => (error.column === "entry_number" ? { ...error, cell } : error));
    return true;
  }
  return false;
}

/** The rows with a tariff number and no entry number, and their entries, which are not whole. */
export class RowsWithoutNumber {
  readonly #lines = new LineList();
  readonly #groups = new Set<number>();

  add(group: number, line: number): void {
    this.#lines.add(line);
    this.#groups.add(group);
  }

  warnings(): FileWarning[] {
    const { count, first: lines } = this.#lines;
    if (count === 0) return [];
    const rows = formatCount(count, "row has", "rows have");
    const detail = `${rows} a tariff number and no entry number, on ${this.#lines}: a report left it blank below the first row of an entry. In the report tool, fill down: show all duplicate values. In Excel, fill the blank cells of the column from above (Home, Find & Select, Go To Special, Blanks).`;
    return [
      { code: "ENTRY_ROWS_WITHOUT_NUMBER", severity: "stop", detail, entries: this.#groups.size, lines },
    ];
  }
}
