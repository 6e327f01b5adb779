import { formatCount } from "../../numbers.ts";
import { trimCell } from "../csv/cell-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import type { Row } from "../rules/row.ts";
import type { RowErrorCode } from "../rules/row-error-messages.ts";
import { readTotalsLabel } from "../rules/totals-label.ts";

/** The label of totals of a row, from its first cell that has one; null if it has none. */
export function findTotalsLabel(record: CsvRecord): string | null {
  for (const cell of record.cellTexts()) {
    const label = cell === "" ? null : readTotalsLabel(trimCell(cell));
    if (label !== null) return label;
  }
  return null;
}

/**
 * Returns whether a row has a label of totals. The error of a missing entry number then names the label, and not the whole cell,
 * which may be private.
 */
export function nameTotalsLabel(row: Row, record: CsvRecord): boolean {
  const cell = findTotalsLabel(record);
  if (cell === null) return false;
  row.errors = row.errors.map((error) => (error.column === "entry_number" ? { ...error, cell } : error));
  return true;
}

/** In a row without its entry number, which the row above has, blank cells are no errors. */
const ERRORS_OF_BLANK_CELLS: readonly RowErrorCode[] = ["REQUIRED_FIELD_MISSING", "LIQUIDATION_DATE_MISSING"];

/** The rows with a tariff number and no entry number, and their entries, which are not whole. */
export class RowsWithoutNumber {
  readonly #lines = new LineList();
  readonly #groups = new Set<number>();

  /** Adds a row of the entry above. */
  add(group: number, row: Row): void {
    row.errors = row.errors.filter(({ code }) => !ERRORS_OF_BLANK_CELLS.includes(code));
    row.addError("ENTRY_INCOMPLETE", "entry_number", "");
    this.#lines.add(row.line);
    this.#groups.add(group);
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const rows = formatCount(this.#lines.count, "row has", "rows have");
    const detail = `${rows} a tariff number and no entry number, on ${this.#lines}: a report left it blank below the first row of an entry. In the report tool, fill down: show all duplicate values. In Excel, fill the blank cells of the column from above (Home, Find & Select, Go To Special, Blanks).`;
    return this.#lines.warn("ENTRY_ROWS_WITHOUT_NUMBER", "stop", detail, { entries: this.#groups.size });
  }
}
