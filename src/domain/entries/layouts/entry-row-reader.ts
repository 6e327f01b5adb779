import { columnBit } from "../columns.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Entry } from "../entry.ts";
import type { FileWarning } from "../file-warnings.ts";
import type { ExtraColumn, Header } from "../header.ts";
import { encodeEntryNumber } from "../rules/entry-number.ts";
import { formatImporterNumber, maskSocialSecurityNumbers } from "../rules/importer-number.ts";
import { AMOUNT_INDEX, isFilled, type Row } from "../rules/row.ts";
import type { RawRowError } from "../rules/row-error-messages.ts";
import { RowReader } from "../rules/row-reader.ts";
import { decodeWarnings } from "../rules/warnings.ts";
import { FurtherEntryLines } from "./further-entry-lines.ts";
import { IntegerMap } from "./integer-map.ts";
import { checkEntryCount, type LayoutOptions, type LayoutReader } from "./layout-reader.ts";
import type { Rejections } from "./rejections.ts";
import { nameTotalsLabel } from "./rows-without-number.ts";

const NO_EXTRA: Readonly<Record<string, string>> = Object.freeze({});
const ENTRY_NUMBER_BIT = columnBit("entry_number");

/** Reads the rows of the `entry` layout: one row per entry. It keeps only the numbers of the entries. */
export class EntryRowReader implements LayoutReader {
  readonly #reader: RowReader;
  readonly #extras: readonly ExtraColumn[];
  readonly #rejections: Rejections;
  readonly #onEntry: (entry: Entry) => void;
  readonly #firstLines = new IntegerMap();
  readonly #furtherLines: FurtherEntryLines | null;
  #hasNumberedRow = false;
  #rowCount = 0;
  needsSecondPass = false;
  rowErrors: readonly RawRowError[] = [];

  constructor(header: Header, { asOf, isSecondPass, onEntry, rejections }: LayoutOptions) {
    this.#reader = new RowReader(header, asOf);
    this.#extras = header.extras;
    this.#rejections = rejections;
    this.#onEntry = onEntry;
    this.#furtherLines = isSecondPass ? new FurtherEntryLines() : null;
  }

  get fileWarnings(): readonly FileWarning[] {
    return [...this.#reader.fileWarnings, ...(this.#furtherLines?.fileWarnings() ?? [])];
  }

  read(record: CsvRecord, line: number): number {
    this.#rowCount += 1;
    checkEntryCount(this.#rowCount, line);
    const row = this.#reader.read(record, line);
    this.#checkNumber(row, record);
    this.rowErrors = row.errors;
    this.#furtherLines?.add(row, record, () => toEntry(row, this.#readExtra(record)));
    if (row.errors.length === 0) this.#onEntry(toEntry(row, this.#readExtra(record)));
    else this.#rejections.add(line, row.entryNumber, row.errors);
    return this.#rowCount - 1;
  }

  entries(): readonly Entry[] {
    return [];
  }

  rejectedGroups(): null {
    return null;
  }

  #checkNumber(row: Row, record: CsvRecord): void {
    if (!isFilled(row, ENTRY_NUMBER_BIT)) {
      const isTotal = nameTotalsLabel(row, record);
      this.needsSecondPass ||= this.#hasNumberedRow && !isTotal;
      return;
    }
    this.#hasNumberedRow = true;
    // Only a valid number can be a duplicate: an entry number has one error at most.
    if ((row.parsedColumns & ENTRY_NUMBER_BIT) === 0) return;
    const first = this.#firstLines.insertIfAbsent(encodeEntryNumber(row.entryNumber), row.line);
    if (first === null) return;
    row.addError("ENTRY_NUMBER_DUPLICATE", "entry_number", row.entryNumber, { duplicateOfLine: first });
    this.needsSecondPass = true;
  }

  #readExtra(record: CsvRecord): Readonly<Record<string, string>> {
    if (this.#extras.length === 0) return NO_EXTRA;
    // Object.fromEntries also accepts __proto__ as a header.
    return Object.fromEntries(
      this.#extras.map(({ name, index }) => [name, maskSocialSecurityNumbers(record.cellText(index))]),
    );
  }
}

/** A row without errors has the required values. */
function toEntry(row: Row, extra: Readonly<Record<string, string>>): Entry {
  return {
    line: row.line,
    entryNumber: row.entryNumber,
    entryTypeCode: row.entryTypeCode ?? "",
    importerNumber: formatImporterNumber(row.importerNumber ?? ""),
    importerName: row.importerName,
    portOfEntryCode: row.portOfEntryCode,
    entryDate: row.entryDate ?? 0,
    entrySummaryDate: row.entrySummaryDate,
    countryOfOriginCode: row.countryOfOriginCode ?? "",
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
