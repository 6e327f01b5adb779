import { normalizeHeader } from "../columns.ts";
import { trimCell } from "../csv/cell-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Header } from "../header.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { isIeepa } from "../rules/tariff-number.ts";
import { FIELD, type GroupTable, TextPool } from "./group-table.ts";
import { hashText } from "./hash-text.ts";
import { IntegerMap } from "./integer-map.ts";

/** The value of the field `version` after two versions were found. */
const MIXED_VERSIONS = -1;

/** Headings whose cells are the same in all rows of one version of an entry summary, or of one export. */
const TELLS_VERSIONS =
  /(?:^|_)(?:post_summary_correction|psc|version|revision)(?:_|$)|(?:^|_)(?:report|run|extract|export|snapshot)_date(?:_|$)/;

/** A line has an indicator of its own, and a tariff has versions. */
const OF_LINES = /(?:^|_)(?:line|tariff|hts)(?:_|$)/;

const TIME_OF_DAY = /[t ]\d{1,2}:\d\d.*$/;

/**
 * Finds entries of which two versions are added up, as from before and after a correction (diligence-model §1,
 * `ENTRY_VERSIONS_MIXED`). It reports the first row of an entry that differs.
 */
export class EntryVersions {
  readonly #table: GroupTable;
  readonly #versions = new TextPool();
  /** Columns that are not read, but tell versions apart. */
  readonly #otherColumns: readonly { heading: string; index: number }[];
  /** By entry and such a column, a hash of its first cell. */
  readonly #firstCells = new IntegerMap();
  /** The line of the file on which an entry line had an IEEPA number first, and its duties. */
  readonly #firstLines = new IntegerMap();
  readonly #duties = new IntegerMap();

  constructor(table: GroupTable, { columns, extras }: Header) {
    this.#table = table;
    const indicators = columns.filter(({ name }) => name === "post_summary_correction_indicator");
    const others = extras.map(({ name, index }) => ({ heading: name, index }));
    this.#otherColumns = [...indicators, ...others].filter(({ heading }) => {
      const header = normalizeHeader(heading);
      return TELLS_VERSIONS.test(header) && !OF_LINES.test(header);
    });
  }

  check(group: number, row: Row, record: CsvRecord): void {
    if (row.version !== null) this.#checkVersion(group, row, String(row.version));
    if (row.entryLine === null) this.#checkOtherColumns(group, row, record);
    else if (row.tariffOrdinal === null && row.htsNumber !== null) this.#checkDuty(group, row, row.htsNumber);
  }

  #checkVersion(group: number, row: Row, version: string): void {
    const id = this.#versions.intern(version);
    const first = this.#table.get(group, FIELD.version);
    if (first === id || first === MIXED_VERSIONS) return;
    if (first === 0) this.#table.set(group, FIELD.version, id);
    else this.#report(group, row, version);
  }

  /** With line numbers, an entry may be in two exports that were made at different times. */
  #checkOtherColumns(group: number, row: Row, record: CsvRecord): void {
    for (const [position, { heading, index }] of this.#otherColumns.entries()) {
      const cell = trimCell(record.cellText(index));
      if (cell === "") continue;
      const hash = hashText(cell.toLowerCase().replace(TIME_OF_DAY, "")) | 0;
      const first = this.#firstCells.insertIfAbsent(group * this.#otherColumns.length + position, hash);
      if (first !== null && first !== hash) this.#report(group, row, `${heading}: ${cell}`);
    }
  }

  /** A line has a number once, so that a second duty is that of another version. An equal row may be a copy. */
  #checkDuty(group: number, row: Row, hts: string): void {
    if (!isIeepa(hts)) return;
    const key = `${group}\n${row.entryLine}\n${hts}`;
    const first = this.#firstLines.insertIfAbsent(hashText(key), row.line);
    const isNew =
      this.#duties.insertIfAbsent(hashText(`${key}\n${row.amount(AMOUNT_INDEX.line_duty)}`), 1) === null;
    if (first !== null && isNew) this.#report(group, row, hts, first);
  }

  #report(group: number, row: Row, cell: string, duplicateOfLine?: number): void {
    if (this.#table.get(group, FIELD.version) === MIXED_VERSIONS) return;
    this.#table.set(group, FIELD.version, MIXED_VERSIONS);
    if (duplicateOfLine === undefined)
      row.addError("ENTRY_VERSIONS_MIXED", "entry_summary_version_number", cell);
    else row.addError("ENTRY_VERSIONS_MIXED", "hts_number", cell, { duplicateOfLine });
  }
}
