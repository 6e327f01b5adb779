import { type ColumnName, columnBit } from "../columns.ts";
import { copyText } from "../csv/copy-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import { createEntryDraft, type Entry, type EntryField } from "../entry.ts";
import { EntryFileError } from "../entry-file-error.ts";
import type { Header } from "../header.ts";
import { formatImporterNumber } from "../rules/importer-number.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { RowReader } from "../rules/row-reader.ts";
import { formatChapter99, isChapter99, isIeepa } from "../rules/tariff-number.ts";
import { decodeWarnings } from "../rules/warnings.ts";
import { createFieldCodec } from "./field-codec.ts";
import { GroupErrors } from "./group-errors.ts";
import { GroupTable } from "./group-table.ts";
import type { Rejections } from "./rejections.ts";
import { TextPool } from "./text-pool.ts";

/** Starts the key of a row without entry number. No normalised number contains a line end. */
const BLANK_KEY = "\n";

/** The value of a compared field while all its cells were invalid. */
const NOT_READ = 0x7fff_ffff;

/** The columns in which the rows of an entry must agree. */
const COMPARED: Readonly<Partial<Record<EntryField, ColumnName>>> = {
  entryTypeCode: "entry_type_code",
  importerNumber: "importer_number",
  entryDate: "entry_date",
  entrySummaryDate: "entry_summary_date",
  liquidationStatus: "liquidation_status",
  liquidationDate: "liquidation_date",
  reconciliation: "reconciliation_indicator",
  protestStatus: "protest_status",
};

/** The model has no rule for drawback. */
const FIRST_ROW_FIELDS: readonly EntryField[] = [
  "importerName",
  "portOfEntryCode",
  "countryOfOriginCode",
  "drawback",
];

/** The fields whose first value counts, which may be in a later row. */
const FIRST_VALUE_FIELDS: readonly EntryField[] = ["protestNumber", "protestDecisionDate", "htsNumber"];

const FIELDS = [...(Object.keys(COMPARED) as EntryField[]), ...FIRST_ROW_FIELDS, ...FIRST_VALUE_FIELDS];

// What a group stores after its fields.
const CHAPTER_99_NUMBERS = FIELDS.length;
const WARNINGS = FIELDS.length + 1;
const LINE = FIELDS.length + 2;
const REJECTED = FIELDS.length + 3;
const FIELD_COUNT = FIELDS.length + 4;

const SUMS = ["enteredValueCents", "ieepaDutyCents", "baseDutyCents", "otherChapter99DutyCents"] as const;
const [ENTERED_VALUE, IEEPA_DUTY, BASE_DUTY, OTHER_CHAPTER_99_DUTY] = [0, 1, 2, 3] as const;

/**
 * The `es003` layout: one row per entry, line and tariff code (diligence-model §1, "es003 grouping"). A group keeps the
 * fields and sums of its entry, and no rows.
 */
export class Es003Layout {
  readonly #reader: RowReader;
  readonly #rejections: Rejections;
  /** In the order of the first rows, which is the order of the entries. */
  readonly #groups = new Map<string, number>();
  readonly #table = new GroupTable(FIELD_COUNT, SUMS.length);
  readonly #errors = new GroupErrors();
  readonly #fields = FIELDS.map((name, index) => ({ name, index, codec: createFieldCodec(name) }));
  readonly #compared = this.#fields.flatMap((field) => {
    const column = COMPARED[field.name];
    return column ? [{ ...field, column, bit: columnBit(column) }] : [];
  });
  readonly #firstRow = this.#fields.filter(({ name }) => FIRST_ROW_FIELDS.includes(name));
  readonly #firstValue = this.#fields.filter(({ name }) => FIRST_VALUE_FIELDS.includes(name));
  readonly #chapter99 = new TextPool();
  #lastKey = "";
  #lastGroup = -1;

  constructor(header: Header, asOf: Day, rejections: Rejections) {
    this.#reader = new RowReader(header, asOf);
    this.#rejections = rejections;
  }

  get groupCount(): number {
    return this.#table.size;
  }

  read(record: CsvRecord, line: number): void {
    const row = this.#reader.read(record, line);
    const key = row.entry.entryNumber ?? BLANK_KEY + line;
    if (key !== this.#lastKey) {
      this.#lastGroup = this.#groups.get(key) ?? this.#openGroup(key, row);
      this.#lastKey = key;
    }
    this.#addRow(this.#lastGroup, row);
  }

  /** Yields the accepted entries. Throws AMOUNT_OVERFLOW. */
  *entries(): Generator<Entry> {
    for (const [key, group] of this.#groups) {
      if (this.#table.get(group, REJECTED) === 0) {
        yield this.#toEntry(key, group);
      } else {
        const entryNumber = key.startsWith(BLANK_KEY) ? "" : key;
        this.#rejections.add(this.#table.get(group, LINE), entryNumber, this.#errors.get(group));
      }
    }
  }

  #openGroup(key: string, { line, entry }: Row): number {
    const table = this.#table;
    const group = table.add();
    this.#groups.set(copyText(key), group);
    table.set(group, LINE, line);
    for (const { index } of this.#compared) table.set(group, index, NOT_READ);
    for (const { name, index, codec } of this.#firstRow) table.set(group, index, codec.encode(entry[name]));
    for (const { index, codec } of this.#firstValue) table.set(group, index, codec.encode(null));
    return group;
  }

  #addRow(group: number, row: Row): void {
    const table = this.#table;
    this.#compareFields(group, row);
    this.#addAmounts(group, row);
    for (const { name, index, codec } of this.#firstValue) {
      const value = row.entry[name];
      if (value === null || codec.decode(table.get(group, index)) !== null) continue;
      table.set(group, index, codec.encode(value));
    }
    table.set(group, WARNINGS, table.get(group, WARNINGS) | row.warningMask);
    if (row.errors.length === 0) return;
    table.set(group, REJECTED, 1);
    this.#errors.add(group, row.errors);
  }

  #compareFields(group: number, row: Row): void {
    const table = this.#table;
    for (const { name, index, codec, column, bit } of this.#compared) {
      if ((row.invalidColumns & bit) !== 0) continue;
      const value = codec.encode(row.entry[name]);
      const stored = table.get(group, index);
      if (stored === NOT_READ) table.set(group, index, value);
      else if (stored !== value) row.addError("ENTRY_FIELDS_DISAGREE", column, "");
    }
  }

  /** Also removes chapter 99 numbers from the HTS numbers of the rows. */
  #addAmounts(group: number, row: Row): void {
    const { htsNumber } = row.entry;
    if (htsNumber === null) return;
    const table = this.#table;
    const duty = row.amount(AMOUNT_INDEX.line_duty);
    if (isChapter99(htsNumber)) {
      table.addToSum(group, isIeepa(htsNumber) ? IEEPA_DUTY : OTHER_CHAPTER_99_DUTY, duty);
      const list = this.#addChapter99Number(table.get(group, CHAPTER_99_NUMBERS), formatChapter99(htsNumber));
      table.set(group, CHAPTER_99_NUMBERS, list);
      row.entry.htsNumber = null;
    } else {
      table.addToSum(group, ENTERED_VALUE, row.amount(AMOUNT_INDEX.entered_value));
      table.addToSum(group, BASE_DUTY, duty);
    }
  }

  /** Few different lists of chapter 99 numbers occur, so a group keeps the id of its list. */
  #addChapter99Number(list: number, number: string): number {
    const text = this.#chapter99.decode(list);
    if (text === null) return this.#chapter99.encode(number);
    return text.split(";").includes(number) ? list : this.#chapter99.encode(`${text};${number}`);
  }

  #toEntry(entryNumber: string, group: number): Entry {
    const table = this.#table;
    const line = table.get(group, LINE);
    const draft = createEntryDraft();
    const values: Partial<Record<EntryField, unknown>> = draft;
    for (const { name, index, codec } of this.#fields) values[name] = codec.decode(table.get(group, index));
    for (const [index, field] of SUMS.entries()) values[field] = this.#readSum(group, index, line);
    draft.line = line;
    draft.entryNumber = entryNumber;
    draft.importerNumber = formatImporterNumber(draft.importerNumber ?? "");
    draft.chapter99Numbers = this.#chapter99.decode(table.get(group, CHAPTER_99_NUMBERS))?.split(";") ?? [];
    draft.warnings = decodeWarnings(table.get(group, WARNINGS));
    // Only entries without errors get here, so no required field is null.
    return draft as Entry;
  }

  #readSum(group: number, sum: number, line: number): number {
    const cents = this.#table.sum(group, sum);
    if (Number.isSafeInteger(cents)) return cents;
    throw new EntryFileError(
      "AMOUNT_OVERFLOW",
      line,
      `The amounts of the entry that starts on line ${line} add up to more than 2^53 - 1 cents. Split the file.`,
    );
  }
}
