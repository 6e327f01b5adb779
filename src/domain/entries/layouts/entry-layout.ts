import { columnBit } from "../columns.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { Entry } from "../entry.ts";
import type { ExtraColumn, Header } from "../header.ts";
import { encodeEntryNumber } from "../rules/entry-number.ts";
import { formatImporterNumber, maskSocialSecurityNumbers } from "../rules/importer-number.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import type { RawRowError } from "../rules/row-error-messages.ts";
import { RowReader } from "../rules/row-reader.ts";
import { decodeWarnings } from "../rules/warnings.ts";
import { FirstLines } from "./first-lines.ts";
import type { Rejections } from "./rejections.ts";

const NO_EXTRA: Readonly<Record<string, string>> = Object.freeze({});
const ENTRY_NUMBER_BIT = columnBit("entry_number");

/** The `entry` layout: one row per entry. It keeps only the numbers of the entries. */
export class EntryLayout {
  readonly #reader: RowReader;
  readonly #extras: readonly ExtraColumn[];
  readonly #rejections: Rejections;
  readonly #firstLines = new FirstLines();
  /** Of the last row. */
  rowErrors: readonly RawRowError[] = [];

  constructor(header: Header, asOf: Day, rejections: Rejections) {
    this.#reader = new RowReader(header, asOf);
    this.#extras = header.extras;
    this.#rejections = rejections;
  }

  /** Returns null for a rejected row. */
  read(record: CsvRecord, line: number): Entry | null {
    const row = this.#reader.read(record, line);
    // Only a valid number can be a duplicate: an entry number has one error at most.
    if ((row.parsedColumns & ENTRY_NUMBER_BIT) !== 0) {
      const first = this.#firstLines.add(encodeEntryNumber(row.entryNumber), line);
      if (first !== null) row.addError("ENTRY_NUMBER_DUPLICATE", "entry_number", row.entryNumber, first);
    }
    this.rowErrors = row.errors;
    const entry = row.errors.length === 0 ? toEntry(row, this.#readExtra(record)) : null;
    if (entry === null) this.#rejections.add(line, row.entryNumber, row.errors);
    return entry;
  }

  #readExtra(record: CsvRecord): Readonly<Record<string, string>> {
    if (this.#extras.length === 0) return NO_EXTRA;
    // Object.fromEntries also accepts __proto__ as a header.
    return Object.fromEntries(
      this.#extras.map(({ name, index }) => [name, maskSocialSecurityNumbers(record.cellText(index))]),
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
    importerNumber: formatImporterNumber(importerNumber),
    importerName: row.importerName,
    portOfEntryCode: row.portOfEntryCode,
    entryDate,
    entrySummaryDate: row.entrySummaryDate,
    countryOfOriginCode,
    htsNumber: row.htsNumber,
    chapter99Numbers: row.chapter99Numbers,
    enteredValueCents: row.amount(AMOUNT_INDEX.entered_value),
    baseDutyCents: row.amount(AMOUNT_INDEX.base_duty_paid),
    ieepaDutyCents: row.amount(AMOUNT_INDEX.ieepa_duty_paid),
    otherChapter99DutyCents:
      row.amount(AMOUNT_INDEX.section_301_duty_paid) +
      row.amount(AMOUNT_INDEX.section_232_duty_paid) +
      row.amount(AMOUNT_INDEX.section_122_duty_paid),
    liquidationStatus: row.liquidationStatus,
    liquidationDate: row.liquidationDate,
    reconciliation: row.reconciliation,
    drawback: row.drawback,
    protestNumber: row.protestNumber,
    protestStatus: row.protestStatus,
    protestDecisionDate: row.protestDecisionDate,
    warnings: decodeWarnings(row.warningMask),
    extra,
  };
}
