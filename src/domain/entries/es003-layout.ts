import { type ColumnName, columnBit } from "./columns.ts";
import type { CsvRecord } from "./csv-record.ts";
import type { Day } from "./dates.ts";
import type { Entry, LiquidationStatus, ProtestStatus } from "./entry.ts";
import { FileFault } from "./file-fault.ts";
import { GroupFaults } from "./group-faults.ts";
import { FIELD, GroupTable, SUM } from "./group-table.ts";
import type { Header } from "./header.ts";
import { shownImporter } from "./importer-number.ts";
import { ownText } from "./own-text.ts";
import type { Rejections } from "./rejections.ts";
import { AMOUNT, type Row } from "./row.ts";
import { RowReader } from "./row-reader.ts";
import { formatChapter99, isChapter99, isIeepa } from "./tariff-number.ts";
import { TextPool } from "./text-pool.ts";
import { warningsOf } from "./warnings.ts";

const BLANK_DAY = -0x8000_0000;
const NO_EXTRA: Readonly<Record<string, string>> = Object.freeze({});

/** Starts the key of a row without entry number; no normalised number holds a line end. */
const BLANK_KEY = "\n";

/** A compared field that no row has filled yet, because the cells so far were at fault. */
const UNREAD = 0x7fff_ffff;

/** The columns in which the rows of an entry must agree, in the order of the first fields of a group. */
const COMPARED: readonly ColumnName[] = [
  "entry_type_code",
  "importer_number",
  "entry_date",
  "entry_summary_date",
  "liquidation_status",
  "liquidation_date",
  "reconciliation_indicator",
  "protest_status",
];
const COMPARED_BITS = COMPARED.map(columnBit);

/**
 * The `es003` layout: one row per entry, line and tariff code (diligence-model §1, "es003 grouping"). A group is its
 * sums, its first row's fields and its codes, never its rows.
 */
export class Es003Layout {
  readonly #reader: RowReader;
  readonly #rejections: Rejections;
  /** Insertion order is first-row order, which is the order of the answers. */
  readonly #groups = new Map<string, number>();
  readonly #table = new GroupTable();
  readonly #faults = new GroupFaults();
  // A pool a column where rows repeat it: a pool answers the last text again without a look-up.
  readonly #types = new TextPool();
  readonly #statuses = new TextPool();
  readonly #protests = new TextPool();
  readonly #texts = new TextPool();
  readonly #importers = new TextPool();
  readonly #names = new TextPool();
  readonly #chapter99 = new TextPool();
  readonly #compared = new Int32Array(COMPARED.length);
  #lastKey = "";
  #lastGroup = -1;

  constructor(header: Header, asOf: Day, rejections: Rejections) {
    this.#reader = new RowReader(header, asOf);
    this.#rejections = rejections;
  }

  get size(): number {
    return this.#table.size;
  }

  read(record: CsvRecord, line: number): void {
    const row = this.#reader.read(record, line);
    const key = row.entryNumber === "" ? BLANK_KEY + line : row.entryNumber;
    const group = this.#find(key);
    if (group === -1) this.#open(key, row);
    else this.#join(group, row);
  }

  /** Accepted entries; each call to next() settles groups up to one. Throws AMOUNT_OVERFLOW. */
  *finish(): Generator<Entry> {
    for (const [key, group] of this.#groups) {
      const line = this.#table.get(group, FIELD.line);
      if (this.#table.get(group, FIELD.rejected) === 0) yield this.#entry(key, group, line);
      else this.#rejections.add(line, key.startsWith(BLANK_KEY) ? "" : key, this.#faults.of(group));
    }
  }

  #find(key: string): number {
    if (key === this.#lastKey) return this.#lastGroup;
    const group = this.#groups.get(key) ?? -1;
    if (group !== -1) this.#remember(key, group);
    return group;
  }

  #remember(key: string, group: number): void {
    this.#lastKey = key;
    this.#lastGroup = group;
  }

  #open(key: string, row: Row): void {
    const table = this.#table;
    const group = table.add();
    const own = ownText(key);
    this.#groups.set(own, group);
    this.#remember(own, group);
    table.set(group, FIELD.line, row.line);
    const compared = this.#comparedOf(row);
    for (let field = 0; field < COMPARED.length; field += 1) {
      const unread = (row.unreadable & (COMPARED_BITS[field] ?? 0)) !== 0;
      table.set(group, field, unread ? UNREAD : (compared[field] ?? 0));
    }
    table.set(group, FIELD.importerName, this.#names.id(row.importerName));
    table.set(group, FIELD.portOfEntryCode, this.#texts.id(row.portOfEntryCode));
    table.set(group, FIELD.countryOfOriginCode, this.#texts.id(row.countryOfOriginCode));
    table.set(group, FIELD.protestDecisionDate, BLANK_DAY);
    // The model names no rule for drawback; like country and port it is the first row's.
    table.set(group, FIELD.drawback, row.drawback ? 1 : 0);
    this.#addTo(group, row);
  }

  #join(group: number, row: Row): void {
    const table = this.#table;
    const compared = this.#comparedOf(row);
    for (let field = 0; field < COMPARED.length; field += 1) {
      const value = compared[field] ?? 0;
      const first = table.get(group, field);
      if (first === value || (row.unreadable & (COMPARED_BITS[field] ?? 0)) !== 0) continue;
      if (first === UNREAD) table.set(group, field, value);
      else
        row.faults.push({
          code: "ENTRY_FIELDS_DISAGREE",
          column: COMPARED[field] ?? "entry_number",
          cell: "",
        });
    }
    this.#addTo(group, row);
  }

  #comparedOf(row: Row): Int32Array {
    const compared = this.#compared;
    compared[FIELD.entryTypeCode] = this.#types.id(row.entryTypeCode);
    compared[FIELD.importerNumber] = this.#importers.id(row.importerNumber);
    compared[FIELD.entryDate] = row.entryDate ?? BLANK_DAY;
    compared[FIELD.entrySummaryDate] = row.entrySummaryDate ?? BLANK_DAY;
    compared[FIELD.liquidationStatus] = this.#statuses.id(row.liquidationStatus);
    compared[FIELD.liquidationDate] = row.liquidationDate ?? BLANK_DAY;
    compared[FIELD.reconciliation] = row.reconciliation ? 1 : 0;
    compared[FIELD.protestStatus] = this.#protests.id(row.protestStatus);
    return compared;
  }

  /** What every row of a group adds to it. */
  #addTo(group: number, row: Row): void {
    const table = this.#table;
    table.set(group, FIELD.warnings, table.get(group, FIELD.warnings) | row.warnings);
    this.#fillFirst(group, row);
    if (row.htsNumber !== null) this.#addAmounts(group, row, row.htsNumber);
    if (row.faults.length === 0) return;
    table.set(group, FIELD.rejected, 1);
    this.#faults.add(group, row.faults);
  }

  /** Fields that come from the first row where they are not blank. */
  #fillFirst(group: number, row: Row): void {
    const table = this.#table;
    if (row.protestNumber !== null && table.get(group, FIELD.protestNumber) === 0) {
      table.set(group, FIELD.protestNumber, this.#texts.id(row.protestNumber));
    }
    const decision = row.protestDecisionDate;
    if (decision !== null && table.get(group, FIELD.protestDecisionDate) === BLANK_DAY) {
      table.set(group, FIELD.protestDecisionDate, decision);
    }
  }

  #addAmounts(group: number, row: Row, hts: string): void {
    const table = this.#table;
    const duty = row.amount(AMOUNT.line_duty);
    if (isChapter99(hts)) {
      table.addTo(group, isIeepa(hts) ? SUM.ieepaDuty : SUM.otherChapter99Duty, duty);
      const list = table.get(group, FIELD.chapter99Numbers);
      table.set(group, FIELD.chapter99Numbers, this.#withChapter99(list, formatChapter99(hts)));
      return;
    }
    table.addTo(group, SUM.enteredValue, row.amount(AMOUNT.entered_value));
    table.addTo(group, SUM.baseDuty, duty);
    if (table.get(group, FIELD.htsNumber) === 0) table.set(group, FIELD.htsNumber, this.#texts.id(hts));
  }

  /** Lists of chapter 99 numbers are few, so a group keeps the id of its list. */
  #withChapter99(list: number, number: string): number {
    const text = this.#chapter99.text(list);
    if (text === null) return this.#chapter99.id(number);
    return text.split(";").includes(number) ? list : this.#chapter99.id(`${text};${number}`);
  }

  #entry(entryNumber: string, group: number, line: number): Entry {
    const table = this.#table;
    const chapter99 = this.#chapter99.text(table.get(group, FIELD.chapter99Numbers));
    return {
      line,
      entryNumber,
      entryTypeCode: this.#types.text(table.get(group, FIELD.entryTypeCode)) ?? "",
      importerNumber: shownImporter(this.#importers.text(table.get(group, FIELD.importerNumber)) ?? ""),
      importerName: this.#names.text(table.get(group, FIELD.importerName)),
      portOfEntryCode: this.#text(group, FIELD.portOfEntryCode),
      entryDate: table.get(group, FIELD.entryDate),
      entrySummaryDate: this.#day(group, FIELD.entrySummaryDate),
      countryOfOriginCode: this.#text(group, FIELD.countryOfOriginCode) ?? "",
      htsNumber: this.#text(group, FIELD.htsNumber),
      chapter99Numbers: chapter99 === null ? [] : chapter99.split(";"),
      enteredValueCents: this.#exactSum(group, SUM.enteredValue, line),
      baseDutyCents: this.#exactSum(group, SUM.baseDuty, line),
      ieepaDutyCents: this.#exactSum(group, SUM.ieepaDuty, line),
      otherChapter99DutyCents: this.#exactSum(group, SUM.otherChapter99Duty, line),
      liquidationStatus: this.#statuses.text(
        table.get(group, FIELD.liquidationStatus),
      ) as LiquidationStatus | null,
      liquidationDate: this.#day(group, FIELD.liquidationDate),
      reconciliation: table.get(group, FIELD.reconciliation) === 1,
      drawback: table.get(group, FIELD.drawback) === 1,
      protestNumber: this.#text(group, FIELD.protestNumber),
      protestStatus: this.#protests.text(table.get(group, FIELD.protestStatus)) as ProtestStatus | null,
      protestDecisionDate: this.#day(group, FIELD.protestDecisionDate),
      warnings: warningsOf(table.get(group, FIELD.warnings)),
      extra: NO_EXTRA,
    };
  }

  #text(group: number, field: number): string | null {
    return this.#texts.text(this.#table.get(group, field));
  }

  #day(group: number, field: number): Day | null {
    const value = this.#table.get(group, field);
    return value === BLANK_DAY ? null : value;
  }

  #exactSum(group: number, sum: number, line: number): number {
    const cents = this.#table.sum(group, sum);
    if (Number.isSafeInteger(cents)) return cents;
    throw new FileFault(
      "AMOUNT_OVERFLOW",
      line,
      `The amounts of the entry that starts on line ${line} add up to more than 2^53 - 1 cents. Split the file.`,
    );
  }
}
