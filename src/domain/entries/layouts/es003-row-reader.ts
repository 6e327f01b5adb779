import { type ColumnName, columnBit } from "../columns.ts";
import { copyText } from "../csv/copy-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { Entry } from "../entry.ts";
import { EntryFileError } from "../entry-file-error.ts";
import type { FileWarning } from "../file-warnings.ts";
import type { Header } from "../header.ts";
import type { LiquidationStatus, ProtestStatus } from "../rules/code-lists.ts";
import { encodeEntryNumber } from "../rules/entry-number.ts";
import { formatImporterNumber } from "../rules/importer-number.ts";
import { AMOUNT_INDEX, hasScientificNumber, isFilled, type Row } from "../rules/row.ts";
import type { RawRowError } from "../rules/row-error-messages.ts";
import { RowReader } from "../rules/row-reader.ts";
import { isChapter99, isIeepa } from "../rules/tariff-number.ts";
import { decodeWarnings } from "../rules/warnings.ts";
import { Chapter99Lists } from "./chapter99-lists.ts";
import { isDamagedNumber } from "./damaged-number.ts";
import { EntryVersions } from "./entry-versions.ts";
import { FIELD, GroupTable, SUM, TextPool } from "./group-table.ts";
import { IntegerMap } from "./integer-map.ts";
import { checkEntryCount, type LayoutOptions, type LayoutReader } from "./layout-reader.ts";
import { LineDuties } from "./line-duties.ts";
import { MissingIeepaRows } from "./missing-ieepa-rows.ts";
import { MissingTariffRows } from "./missing-tariff-rows.ts";
import { GroupErrors, type Rejections } from "./rejections.ts";
import { RepeatedRows } from "./repeated-rows.ts";
import { nameTotalsLabel, RowsWithoutNumber } from "./rows-without-number.ts";
import { SeenTariffLines } from "./seen-tariff-lines.ts";
import { isSubtotal } from "./subtotals.ts";

const BLANK_DAY = -0x8000_0000;
const ENTRY_NUMBER_BIT = columnBit("entry_number");
const HTS_BIT = columnBit("hts_number");

/** The index of a column that the file lacks: no record has such a cell. */
const ABSENT = Number.MAX_SAFE_INTEGER;
const NO_EXTRA: Readonly<Record<string, string>> = Object.freeze({});

/** Marks the key of a row that stands alone, between its number and its line. No normalized number contains a line end. */
const SINGLE_ROW_MARK = "\n";

/** The value of a compared field while all its cells were invalid. */
const NOT_READ = 0x7fff_ffff;

/** The columns in which the rows of an entry must agree, in the order of the first fields of a group. */
const COMPARED_COLUMNS: readonly ColumnName[] = [
  "entry_type_code",
  "importer_number",
  "entry_date",
  "entry_summary_date",
  "liquidation_status",
  "liquidation_date",
  "reconciliation_indicator",
  "protest_status",
];
const COMPARED_BITS = COMPARED_COLUMNS.map(columnBit);

/**
 * Reads the rows of the `es003` layout: one row per entry, line and tariff code (diligence-model §1, "es003 grouping"). A group keeps the
 * fields and sums of its entry, and no rows. The code is written out, because loops over the fields take a third longer.
 */
export class Es003RowReader implements LayoutReader {
  readonly #reader: RowReader;
  readonly #rejections: Rejections;
  /** By group, in the order of the first rows, which is the order of the entries. */
  readonly #keys: string[] = [];
  /** The groups of valid numbers, as lines: a Map of their texts takes longer. */
  readonly #groups = new IntegerMap();
  readonly #groupsOfInvalidNumbers = new Map<string, number>();
  readonly #table = new GroupTable();
  readonly #errors = new GroupErrors();
  // One pool for each repeated column, because a pool finds the text of the previous row without a look-up.
  readonly #types = new TextPool();
  readonly #statuses = new TextPool();
  readonly #protests = new TextPool();
  readonly #texts = new TextPool();
  /** Apart, because they are so many that a look-up of another text takes longer. */
  readonly #protestNumbers = new TextPool();
  readonly #importers = new TextPool();
  readonly #names = new TextPool();
  readonly #chapter99 = new Chapter99Lists();
  readonly #compared = new Int32Array(COMPARED_COLUMNS.length);
  readonly #seenTariffLines = new SeenTariffLines();
  readonly #versions: EntryVersions;
  /** Null while every row has line number and ordinal; then nothing is compared by its meaning. */
  readonly #repeatedRows: RepeatedRows | null;
  readonly #descriptionIndex: number;
  readonly #rowsWithoutNumber = new RowsWithoutNumber();
  readonly #lineDuties: LineDuties;
  readonly #missingIeepaRows = new MissingIeepaRows(this.#table);
  readonly #missingTariffRows = new MissingTariffRows();
  needsSecondPass = false;
  #aloneGroup = -1;
  #isLastNumberValid = false;
  #lastKey = "";
  #lastGroup = -1;
  /** The group of the last row with an entry number; -1 before it. */
  #numberedGroup = -1;
  /** The group of the last row with line number and ordinal; -1 before it. */
  #groupOfLines = -1;
  rowErrors: readonly RawRowError[] = [];

  constructor(header: Header, { asOf, isSecondPass, rejections }: LayoutOptions) {
    this.#reader = new RowReader(header, asOf);
    this.#rejections = rejections;
    const findIndex = (name: ColumnName) =>
      header.columns.find((column) => column.name === name)?.index ?? ABSENT;
    const lacksNumbers =
      findIndex("entry_summary_line_number") === ABSENT || findIndex("tariff_ordinal_number") === ABSENT;
    this.#repeatedRows = isSecondPass || lacksNumbers ? new RepeatedRows() : null;
    this.#versions = new EntryVersions(this.#table, header);
    this.#descriptionIndex = findIndex("line_description");
    this.#lineDuties = new LineDuties(header);
  }

  get fileWarnings(): readonly FileWarning[] {
    return [
      ...this.#reader.fileWarnings,
      ...this.#rowsWithoutNumber.fileWarnings(),
      ...(this.#repeatedRows?.fileWarnings(this.#table.size) ?? []),
      ...this.#lineDuties.fileWarnings(),
      ...this.#missingIeepaRows.fileWarnings(),
      ...this.#missingTariffRows.fileWarnings(),
    ];
  }

  read(record: CsvRecord, line: number): number {
    const row = this.#reader.read(record, line);
    const isBlank = !isFilled(row, ENTRY_NUMBER_BIT);
    const group = isBlank ? this.#findGroupOfBlank(row, record) : this.#findOrOpenGroup(row);
    if (!isBlank) this.#numberedGroup = group;
    if (group !== this.#aloneGroup) this.#findRepetition(group, row, record);
    this.#addRow(group, row);
    this.rowErrors = row.errors;
    return group;
  }

  /** A number that is blank or in scientific notation stands alone: rows of other entries may have it, too. */
  #findOrOpenGroup(row: Row): number {
    const isAlone = row.entryNumber === "" || hasScientificNumber(row);
    const key = isAlone ? row.entryNumber + SINGLE_ROW_MARK + row.line : row.entryNumber;
    const known = isAlone ? null : this.#findGroup(key, row);
    const group = known ?? this.#openGroup(key, row);
    if (known !== null) this.#compare(group, row, ~0);
    if (isAlone) this.#aloneGroup = group;
    this.#lastKey = this.#keys[group] ?? key;
    this.#lastGroup = group;
    return group;
  }

  /** A report shows the number of an entry only in its first row. Totals may have their label in place of a tariff number. */
  #findGroupOfBlank(row: Row, record: CsvRecord): number {
    const above = this.#numberedGroup;
    if (above === -1) return this.#findOrOpenGroup(row);
    const hasTariffNumber = (row.parsedColumns & HTS_BIT) !== 0;
    const isTotal = !hasTariffNumber && nameTotalsLabel(row, record);
    if (isTotal || !isFilled(row, HTS_BIT)) return this.#findOrOpenGroup(row);
    this.#rowsWithoutNumber.add(above, row);
    this.#compare(above, row, row.parsedColumns);
    return above;
  }

  #findRepetition(group: number, row: Row, record: CsvRecord): void {
    const first = this.#seenTariffLines.addAndFindFirst(group, row);
    if (first === null) this.#missingTariffRows.add(row);
    else row.addError("TARIFF_LINE_DUPLICATE", "tariff_ordinal_number", "", { duplicateOfLine: first });
    this.#repeatedRows?.add(group, row, record.cellText(this.#descriptionIndex), first === null);
    if (row.entryLine !== null && row.tariffOrdinal !== null) {
      this.#groupOfLines = group;
    } else {
      this.needsSecondPass ||= this.#repeatedRows === null;
      if (group === this.#groupOfLines && isSubtotal(this.#table, group, row))
        row.addError("REQUIRED_FIELD_MISSING", "entry_summary_line_number", "");
    }
    this.#versions.check(group, row, record);
  }

  rejectedGroups(): Uint8Array {
    return Uint8Array.from({ length: this.#table.size }, (_, group) =>
      this.#table.get(group, FIELD.rejected),
    );
  }

  /** Yields the accepted entries. Throws AMOUNT_OVERFLOW. */
  *entries(): Generator<Entry> {
    for (const [group, key] of this.#keys.entries()) {
      const line = this.#table.get(group, FIELD.line);
      if (this.#table.get(group, FIELD.rejected) === 0) yield this.#toEntry(key, group, line);
      else this.#rejections.add(line, key.split(SINGLE_ROW_MARK, 1)[0] ?? "", this.#errors.get(group));
    }
  }

  /** Returns null for a new number, which then belongs to the next group. */
  #findGroup(key: string, row: Row): number | null {
    if (key === this.#lastKey) return this.#lastGroup;
    const next = this.#table.size;
    const isValid = (row.parsedColumns & ENTRY_NUMBER_BIT) !== 0;
    if (isValid) return this.#groups.insertIfAbsent(encodeEntryNumber(key), next);
    const group = this.#groupsOfInvalidNumbers.get(key);
    if (group === undefined) this.#groupsOfInvalidNumbers.set(copyText(key), next);
    return group ?? null;
  }

  #openGroup(key: string, row: Row): number {
    const table = this.#table;
    const group = table.add();
    checkEntryCount(table.size, row.line);
    this.#keys.push(copyText(key));
    table.set(group, FIELD.line, row.line);
    const compared = this.#readComparedFields(row);
    for (let field = 0; field < COMPARED_COLUMNS.length; field += 1) {
      const unread = (row.invalidColumns & (COMPARED_BITS[field] ?? 0)) !== 0;
      table.set(group, field, unread ? NOT_READ : (compared[field] ?? 0));
    }
    table.set(group, FIELD.importerName, this.#names.intern(row.importerName));
    table.set(group, FIELD.portOfEntryCode, this.#texts.intern(row.portOfEntryCode));
    table.set(group, FIELD.countryOfOriginCode, this.#texts.intern(row.countryOfOriginCode));
    table.set(group, FIELD.protestDecisionDate, BLANK_DAY);
    this.#rejectDamagedNeighbour(group, row);
    return group;
  }

  /** A row with a damaged number mostly belongs to the entry before or after it, which would be accepted without its duty. */
  #rejectDamagedNeighbour(group: number, { parsedColumns }: Row): void {
    const isValid = (parsedColumns & ENTRY_NUMBER_BIT) !== 0;
    const wasValid = this.#isLastNumberValid;
    this.#isLastNumberValid = isValid;
    if (isValid === wasValid || group === 0) return;
    const [entry, damaged] = isValid ? [group, group - 1] : [group - 1, group];
    const cell = this.#keys[damaged] ?? "";
    if (!isDamagedNumber(cell, this.#keys[entry] ?? "")) return;
    const line = this.#table.get(damaged, FIELD.line);
    this.#table.set(entry, FIELD.rejected, 1);
    this.#errors.add(entry, [{ code: "ENTRY_INCOMPLETE", line, column: "entry_number", cell }]);
  }

  /** Each row must agree with the first sound cells of its entry. @param mask bits of the columns to compare */
  #compare(group: number, row: Row, mask: number): void {
    const table = this.#table;
    const compared = this.#readComparedFields(row);
    const columns = mask & ~row.invalidColumns;
    for (let field = 0; field < COMPARED_COLUMNS.length; field += 1) {
      const value = compared[field] ?? 0;
      const first = table.get(group, field);
      if (first === value || (columns & (COMPARED_BITS[field] ?? 0)) === 0) continue;
      if (first === NOT_READ) table.set(group, field, value);
      else row.addError("ENTRY_FIELDS_DISAGREE", COMPARED_COLUMNS[field] ?? "entry_number", "");
    }
  }

  #readComparedFields(row: Row): Int32Array {
    const compared = this.#compared;
    compared[FIELD.entryTypeCode] = this.#types.intern(row.entryTypeCode);
    compared[FIELD.importerNumber] = this.#importers.intern(row.importerNumber);
    compared[FIELD.entryDate] = row.entryDate ?? BLANK_DAY;
    compared[FIELD.entrySummaryDate] = row.entrySummaryDate ?? BLANK_DAY;
    compared[FIELD.liquidationStatus] = this.#statuses.intern(row.liquidationStatus);
    compared[FIELD.liquidationDate] = row.liquidationDate ?? BLANK_DAY;
    compared[FIELD.reconciliation] = row.reconciliation ? 1 : 0;
    compared[FIELD.protestStatus] = this.#protests.intern(row.protestStatus);
    return compared;
  }

  #addRow(group: number, row: Row): void {
    const table = this.#table;
    table.set(group, FIELD.warnings, table.get(group, FIELD.warnings) | row.warningMask);
    this.#fillBlankFields(group, row);
    if (row.htsNumber !== null) this.#addAmounts(group, row, row.htsNumber);
    if (row.errors.length === 0) return;
    table.set(group, FIELD.rejected, 1);
    this.#errors.add(group, row.errors);
  }

  #fillBlankFields(group: number, row: Row): void {
    const table = this.#table;
    if (row.protestNumber !== null && table.get(group, FIELD.protestNumber) === 0)
      table.set(group, FIELD.protestNumber, this.#protestNumbers.intern(row.protestNumber));
    const decision = row.protestDecisionDate;
    if (row.drawback) table.set(group, FIELD.drawback, 1);
    if (decision !== null && table.get(group, FIELD.protestDecisionDate) === BLANK_DAY)
      table.set(group, FIELD.protestDecisionDate, decision);
  }

  #addAmounts(group: number, row: Row, hts: string): void {
    const table = this.#table;
    const duty = row.amount(AMOUNT_INDEX.line_duty);
    this.#lineDuties.add(group, hts, row);
    this.#missingIeepaRows.add(group, row);
    if (isChapter99(hts)) {
      table.addToSum(group, isIeepa(hts) ? SUM.ieepaDuty : SUM.otherChapter99Duty, duty);
      const list = table.get(group, FIELD.chapter99Numbers);
      table.set(group, FIELD.chapter99Numbers, this.#chapter99.add(list, hts));
      return;
    }
    table.addToSum(group, SUM.enteredValue, row.amount(AMOUNT_INDEX.entered_value));
    table.addToSum(group, SUM.baseDuty, duty);
    if (table.get(group, FIELD.htsNumber) === 0) table.set(group, FIELD.htsNumber, this.#texts.intern(hts));
  }

  #toEntry(entryNumber: string, group: number, line: number): Entry {
    const table = this.#table;
    return {
      line,
      entryNumber,
      entryTypeCode: this.#types.text(table.get(group, FIELD.entryTypeCode)) ?? "",
      importerNumber: formatImporterNumber(
        this.#importers.text(table.get(group, FIELD.importerNumber)) ?? "",
      ),
      importerName: this.#names.text(table.get(group, FIELD.importerName)),
      portOfEntryCode: this.#readText(group, FIELD.portOfEntryCode),
      entryDate: table.get(group, FIELD.entryDate),
      entrySummaryDate: this.#readDay(group, FIELD.entrySummaryDate),
      countryOfOriginCode: this.#readText(group, FIELD.countryOfOriginCode) ?? "",
      htsNumber: this.#readText(group, FIELD.htsNumber),
      chapter99Numbers: this.#chapter99.numbers(table.get(group, FIELD.chapter99Numbers)),
      enteredValueCents: this.#readSum(group, SUM.enteredValue, line),
      baseDutyCents: this.#readSum(group, SUM.baseDuty, line),
      ieepaDutyCents: this.#readSum(group, SUM.ieepaDuty, line),
      otherChapter99DutyCents: this.#readSum(group, SUM.otherChapter99Duty, line),
      liquidationStatus: this.#statuses.text(
        table.get(group, FIELD.liquidationStatus),
      ) as LiquidationStatus | null,
      liquidationDate: this.#readDay(group, FIELD.liquidationDate),
      reconciliation: table.get(group, FIELD.reconciliation) === 1,
      drawback: table.get(group, FIELD.drawback) === 1,
      protestNumber: this.#protestNumbers.text(table.get(group, FIELD.protestNumber)),
      protestStatus: this.#protests.text(table.get(group, FIELD.protestStatus)) as ProtestStatus | null,
      protestDecisionDate: this.#readDay(group, FIELD.protestDecisionDate),
      warnings: decodeWarnings(table.get(group, FIELD.warnings)),
      extra: NO_EXTRA,
    };
  }

  #readText(group: number, field: number): string | null {
    return this.#texts.text(this.#table.get(group, field));
  }

  #readDay(group: number, field: number): Day | null {
    const value = this.#table.get(group, field);
    return value === BLANK_DAY ? null : value;
  }

  #readSum(group: number, sum: number, line: number): number {
    const cents = this.#table.sum(group, sum);
    if (Number.isSafeInteger(cents)) return cents;
    const message = `The amounts of the entry that starts on line ${line} add up to more than 2^53 - 1 cents. Split the file.`;
    throw new EntryFileError("AMOUNT_OVERFLOW", line, message);
  }
}
