import { AMOUNT_COLUMNS, type AmountColumn, type ColumnName } from "../columns.ts";
import { createEntryDraft, type Entry } from "../entry.ts";
import { formatImporterNumber } from "./importer-number.ts";
import type { RowErrorCode } from "./row-error-messages.ts";
import { decodeWarnings } from "./warnings.ts";

/** The index of an amount in `Row.amounts`. */
export const AMOUNT_INDEX = Object.fromEntries(
  AMOUNT_COLUMNS.map((column, index) => [column, index]),
) as Readonly<Record<AmountColumn, number>>;

/** An error as found. `describeRowErrors` gives it its text. */
export interface RawRowError {
  readonly code: RowErrorCode;
  readonly column: ColumnName;
  readonly cell: string;
}

/** The row that is being read. It is reused, but each row gets a new entry. */
export class Row {
  line = 0;
  /** Its importer number is in the form that rows are compared by. Its amounts and warnings are still blank. */
  entry = createEntryDraft();
  /** Cents by {@link AMOUNT_INDEX}, 0 for a blank amount. */
  readonly amounts = new Float64Array(AMOUNT_COLUMNS.length);
  /** Bits of WARNING_BIT. */
  warningMask = 0;
  /** Bits of the columns that were read without error. Blank columns have none. */
  parsedColumns = 0;
  /** Bits of the columns whose cell has no valid value. */
  invalidColumns = 0;
  errors: RawRowError[] = [];

  reset(line: number): void {
    this.line = line;
    this.entry = createEntryDraft();
    this.entry.line = line;
    this.amounts.fill(0);
    this.warningMask = 0;
    this.parsedColumns = 0;
    this.invalidColumns = 0;
    if (this.errors.length > 0) this.errors = [];
  }

  amount(index: number): number {
    return this.amounts[index] ?? 0;
  }

  addError(code: RowErrorCode, column: ColumnName, cell: string): void {
    this.errors.push({ code, column, cell });
  }

  /** The entry of a row without errors, in the entry layout. */
  completeEntry(extra: Entry["extra"]): Entry {
    const { entry } = this;
    entry.importerNumber = formatImporterNumber(entry.importerNumber ?? "");
    entry.enteredValueCents = this.amount(AMOUNT_INDEX.entered_value);
    entry.baseDutyCents = this.amount(AMOUNT_INDEX.base_duty_paid);
    entry.ieepaDutyCents = this.amount(AMOUNT_INDEX.ieepa_duty_paid);
    entry.otherChapter99DutyCents =
      this.amount(AMOUNT_INDEX.section_301_duty_paid) +
      this.amount(AMOUNT_INDEX.section_232_duty_paid) +
      this.amount(AMOUNT_INDEX.section_122_duty_paid);
    entry.warnings = decodeWarnings(this.warningMask);
    entry.extra = extra;
    // A blank required column is an error, so no required field is null.
    return entry as Entry;
  }
}
