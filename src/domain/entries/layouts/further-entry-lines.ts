import { formatCount } from "../../numbers.ts";
import { columnBit } from "../columns.ts";
import { foldText } from "../csv/cell-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Entry } from "../entry.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import { encodeEntryNumber } from "../rules/entry-number.ts";
import { AMOUNT_INDEX, isFilled, type Row } from "../rules/row.ts";
import { mentionsTotal } from "../rules/totals-label.ts";
import { hashText } from "./hash-text.ts";
import { IntegerMap } from "./integer-map.ts";
import { findTotalsLabel } from "./rows-without-number.ts";

const ENTRY_NUMBER_BIT = columnBit("entry_number");
const TYPE_BIT = columnBit("entry_type_code");
const IMPORTER_BIT = columnBit("importer_number");
const ENTRY_DATE_BIT = columnBit("entry_date");
const DUTY_BIT = columnBit("ieepa_duty_paid");

type NumberedRow = Pick<Row, "entryNumber" | "entryTypeCode" | "importerNumber" | "entryDate">;

/** The amounts of some rows. */
class RowSums {
  #rows = 0;
  #valueCents = 0;
  #dutyCents = 0;

  add(row: Row): void {
    this.#rows += 1;
    this.#valueCents += row.amount(AMOUNT_INDEX.entered_value);
    this.#dutyCents += row.amount(AMOUNT_INDEX.ieepa_duty_paid);
  }

  /** Whether the row has them as its own. A row like the one above it may be the second line of an entry. */
  areOf(row: Row): boolean {
    return (
      this.#rows > 1 &&
      row.amount(AMOUNT_INDEX.ieepa_duty_paid) === this.#dutyCents &&
      row.amount(AMOUNT_INDEX.entered_value) === this.#valueCents
    );
  }
}

/** Finds rows that look like further lines of an entry, in a file of one row per entry (diligence-model §1, `ENTRY_HAS_LINES`). */
export class FurtherEntryLines {
  /** By entry number, a hash of what its first row means. */
  readonly #meanings = new IntegerMap();
  readonly #entries = new Set<string>();
  readonly #furtherRows = new LineList();
  #above: NumberedRow | null = null;
  readonly #allSums = new RowSums();
  #sumsBelowTotal = new RowSums();

  /** @param toEntry gives the values that a dataset would store */
  add(row: Row, record: CsvRecord, toEntry: () => Entry): void {
    const { entryNumber } = row;
    const hasNumber = isFilled(row, ENTRY_NUMBER_BIT);
    if (!hasNumber && (this.#allSums.areOf(row) || this.#sumsBelowTotal.areOf(row))) {
      this.#sumsBelowTotal = new RowSums();
      return;
    }
    this.#allSums.add(row);
    this.#sumsBelowTotal.add(row);
    if (!hasNumber) {
      if (this.#above !== null && isPartOf(this.#above, row, record))
        this.#addFurtherRow(row, this.#above.entryNumber);
      return;
    }
    const { entryTypeCode, importerNumber, entryDate } = row;
    this.#above = { entryNumber, entryTypeCode, importerNumber, entryDate };
    if ((row.parsedColumns & ENTRY_NUMBER_BIT) === 0) return;
    const stored = { ...toEntry(), line: null, warnings: null };
    const meaning = hashText(JSON.stringify([stored, row.entryLine, row.version, listFaults(row)])) | 0;
    const first = this.#meanings.insertIfAbsent(encodeEntryNumber(entryNumber), meaning) ?? meaning;
    if (first !== meaning) this.#addFurtherRow(row, entryNumber);
  }

  #addFurtherRow({ line }: Row, entryNumber: string): void {
    this.#furtherRows.add(line);
    this.#entries.add(entryNumber);
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const rows = formatCount(this.#furtherRows.count, "row differs", "rows differ");
    const detail = `${rows} from the first row of the same entry, on ${this.#furtherRows}, and only the first row is read. If they are lines of an entry, its duty is their sum: export one row per entry, add the rows up in a pivot table, or use the report ES-003. If two exports of different days were pasted together, keep the newer rows. If it is a total, remove it.`;
    return this.#furtherRows.warn("ENTRY_HAS_LINES", "stop", detail, { entries: this.#entries.size });
  }
}

/** A faulty cell is its text. */
const listFaults = ({ errors }: Row): readonly string[] =>
  errors.flatMap(({ cell, code, column }) =>
    code === "ENTRY_NUMBER_DUPLICATE" ? [] : `${column} ${foldText(cell)}`,
  );

/** Whether a row without a number has a part of the duty of the numbered row above it. */
function isPartOf(above: NumberedRow, row: Row, record: CsvRecord): boolean {
  if (!isFilled(row, DUTY_BIT)) return false;
  const isSame =
    (row.entryTypeCode === above.entryTypeCode || !isFilled(row, TYPE_BIT)) &&
    (row.importerNumber === above.importerNumber || !isFilled(row, IMPORTER_BIT)) &&
    (row.entryDate === above.entryDate || !isFilled(row, ENTRY_DATE_BIT));
  return isSame && findTotalsLabel(record) === null && !record.cellTexts().some(mentionsTotal);
}
