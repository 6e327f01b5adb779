import { columnBit } from "./columns.ts";
import type { CsvRecord } from "./csv-record.ts";
import type { Day } from "./dates.ts";
import type { Entry } from "./entry.ts";
import { entryNumberKey } from "./entry-number.ts";
import type { ExtraColumn, Header } from "./header.ts";
import { maskSocialSecurityNumbers, shownImporter } from "./importer-number.ts";
import type { Rejections } from "./rejections.ts";
import { AMOUNT, type Row } from "./row.ts";
import { RowReader } from "./row-reader.ts";
import { SeenNumbers } from "./seen-numbers.ts";
import { warningsOf } from "./warnings.ts";

const NO_EXTRA: Readonly<Record<string, string>> = Object.freeze({});
const ENTRY_NUMBER = columnBit("entry_number");

/** The `entry` layout: one row per entry. Of the entries it keeps only the numbers seen. */
export class EntryLayout {
  readonly #reader: RowReader;
  readonly #extras: readonly ExtraColumn[];
  readonly #rejections: Rejections;
  readonly #seen = new SeenNumbers();

  constructor(header: Header, asOf: Day, rejections: Rejections) {
    this.#reader = new RowReader(header, asOf);
    this.#extras = header.extras;
    this.#rejections = rejections;
  }

  /** The entry of a row, null when it is rejected. */
  read(record: CsvRecord, line: number): Entry | null {
    const row = this.#reader.read(record, line);
    // Only a well-formed number can be a duplicate: of an entry number one fault is reported, the first.
    if ((row.parsed & ENTRY_NUMBER) !== 0 && !this.#seen.add(entryNumberKey(row.entryNumber))) {
      row.fail("ENTRY_NUMBER_DUPLICATE", "entry_number", row.entryNumber);
    }
    const entry = row.faults.length === 0 ? toEntry(row, this.#extra(record)) : null;
    if (entry === null) this.#rejections.add(line, row.entryNumber, row.faults);
    return entry;
  }

  #extra(record: CsvRecord): Readonly<Record<string, string>> {
    if (this.#extras.length === 0) return NO_EXTRA;
    // fromEntries, for a header may be called __proto__.
    return Object.fromEntries(
      this.#extras.map(({ name, index }) => [name, maskSocialSecurityNumbers(record.cell(index))]),
    );
  }
}

function toEntry(row: Row, extra: Readonly<Record<string, string>>): Entry | null {
  const { entryTypeCode, importerNumber, entryDate, countryOfOriginCode } = row;
  if (entryTypeCode === null || importerNumber === null) return null;
  if (entryDate === null || countryOfOriginCode === null) return null;
  return {
    line: row.line,
    entryNumber: row.entryNumber,
    entryTypeCode,
    importerNumber: shownImporter(importerNumber),
    importerName: row.importerName,
    portOfEntryCode: row.portOfEntryCode,
    entryDate,
    entrySummaryDate: row.entrySummaryDate,
    countryOfOriginCode,
    htsNumber: row.htsNumber,
    chapter99Numbers: row.chapter99Numbers,
    enteredValueCents: row.amount(AMOUNT.entered_value),
    baseDutyCents: row.amount(AMOUNT.base_duty_paid),
    ieepaDutyCents: row.amount(AMOUNT.ieepa_duty_paid),
    otherChapter99DutyCents:
      row.amount(AMOUNT.section_301_duty_paid) +
      row.amount(AMOUNT.section_232_duty_paid) +
      row.amount(AMOUNT.section_122_duty_paid),
    liquidationStatus: row.liquidationStatus,
    liquidationDate: row.liquidationDate,
    reconciliation: row.reconciliation,
    drawback: row.drawback,
    protestNumber: row.protestNumber,
    protestStatus: row.protestStatus,
    protestDecisionDate: row.protestDecisionDate,
    warnings: warningsOf(row.warnings),
    extra,
  };
}
