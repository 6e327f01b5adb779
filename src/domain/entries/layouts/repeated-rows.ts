import { formatCount } from "../../numbers.ts";
import type { ColumnName } from "../columns.ts";
import { foldText } from "../csv/cell-text.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { hashText } from "./hash-text.ts";
import { IntegerMap } from "./integer-map.ts";

/** The columns that decide whether two rows mean the same, besides the description. */
const COMPARED: readonly ColumnName[] = [
  ...(["hts_number", "entered_value", "line_duty", "country_of_origin_code", "chapter_99_numbers"] as const),
];

const LINE_AND_ORDINAL = 0b011;
const VERSION = 0b100;

const MAX_ENTRIES = 1_000_000;

/** Each bit stands for one way to fill line number, ordinal and version. These lack the line number or the ordinal. */
const LACKING = 0b0111_0111;

/** Copies of an amount may be rounded to dollars. In smaller ones, other amounts would be the same. */
const MIN_ROUNDED_CENTS = 1_000;

/** Rows like an earlier one of their entry. By entry, how many are so, and how many are not: counts that stay 0 use no memory. */
class Repetitions {
  readonly lines = new LineList();
  readonly #different = new Int32Array(MAX_ENTRIES);
  readonly #repeated = new Int32Array(MAX_ENTRIES);

  add(group: number, { line }: Row, isRepeated: boolean): void {
    if (isRepeated) this.lines.add(line);
    const counts = isRepeated ? this.#repeated : this.#different;
    counts[group] = (counts[group] ?? 0) + 1;
  }

  /** Whether entries stand there twice as a whole. @param entries of the file */
  lookDoubled(entries: number): boolean {
    let repeatedEntries = 0;
    let repeatedSingles = 0;
    for (let group = 0; group < entries; group += 1) {
      const repeated = this.#repeated[group] ?? 0;
      const different = this.#different[group] ?? 0;
      if (repeated === 0) continue;
      if (different >= 2 && repeated >= different) return true;
      repeatedEntries += 1;
      if (different === 1) repeatedSingles += 1;
    }
    return repeatedSingles >= 2 && repeatedEntries * 2 >= entries;
  }
}

/**
 * Finds rows of an entry that mean the same as an earlier one, where one of the two lacks the line number or the ordinal
 * (diligence-model §1, *Repetition*). It keeps at most two numbers for each row.
 */
export class RepeatedRows {
  /** By entry and meaning, the ways to fill the numbers. */
  readonly #filled = new IntegerMap();
  /** The first line of each row by its entry, its meaning and its numbers. */
  readonly #numbered = new IntegerMap();
  readonly #same = new Repetitions();
  /** Rows that have the same tariff number and amounts, as an export in whole dollars or with other words has. */
  readonly #alike = new Repetitions();
  readonly #roughMeanings = new IntegerMap();

  /** @param isCounted false for a row that repeats line number and ordinal, which has an error already */
  add(group: number, row: Row, description: string, isCounted: boolean): void {
    const isRepeated = this.#isRepeated(group, row, description);
    if (!isCounted) return;
    this.#same.add(group, row, isRepeated);
    if (row.entryLine !== null || row.tariffOrdinal !== null) return;
    const roughMeaning = hashText(`${group}\n${describeRoughly(row)}`);
    this.#alike.add(group, row, this.#roughMeanings.insertIfAbsent(roughMeaning, 1) !== null);
  }

  #isRepeated(group: number, row: Row, description: string): boolean {
    const { entryLine, tariffOrdinal, version } = row;
    const pattern =
      (entryLine === null ? 0 : 1) | (tariffOrdinal === null ? 0 : 2) | (version === null ? 0 : VERSION);
    const isFull = (pattern & LINE_AND_ORDINAL) === LINE_AND_ORDINAL;
    const meaning = `${group}\n${describeMeaning(row)}\n${foldText(description)}`;
    const before = this.#filled.addBits(hashText(meaning), 1 << pattern);
    const others = before & ~(1 << pattern) & (isFull ? LACKING : ~0);
    if (isFull) return others !== 0;
    // Added in any case, because a later row may have the same numbers.
    const isSame =
      this.#numbered.insertIfAbsent(hashText(`${meaning}\n${entryLine}\n${tariffOrdinal}\n${version}`), 1) !==
      null;
    return others !== 0 || isSame;
  }

  /** Complete after the last row. */
  fileWarnings(entries: number): FileWarning[] {
    const isDoubled = this.#same.lookDoubled(entries);
    const isDoubledRoughly = !isDoubled && this.#alike.lookDoubled(entries);
    const { lines } = isDoubledRoughly ? this.#alike : this.#same;
    const what = formatCount(lines.count, "row means", "rows mean");
    const how = isDoubledRoughly ? " but for cents, country or description" : "";
    const detail = `${what} the same as an earlier row of the same entry${how}, on ${lines}, without a line number or a tariff ordinal to tell them apart. If an export was pasted twice, the amounts are too high: remove the copies. If the rows are right, add Entry Summary Line Number and Tariff Ordinal Number to the report.`;
    return lines.warn("ROWS_REPEATED", isDoubled ? "stop" : "warn", detail);
  }
}

/** The tariff number, and the amounts in dollars. */
function describeRoughly(row: Row): string {
  const amounts = [AMOUNT_INDEX.entered_value, AMOUNT_INDEX.line_duty].map((index) => {
    const cents = row.amount(index);
    return cents < MIN_ROUNDED_CENTS ? cents : Math.round(cents / 100) * 100;
  });
  return `${row.htsNumber}\n${amounts.join("\n")}`;
}

/** As a dataset would store the cells. A faulty cell is its text. */
function describeMeaning(row: Row): string {
  const faulty = row.errors.filter(({ column }) => COMPARED.includes(column));
  return [
    row.htsNumber,
    row.amount(AMOUNT_INDEX.entered_value),
    row.amount(AMOUNT_INDEX.line_duty),
    row.countryOfOriginCode,
    row.chapter99Numbers.join(";"),
    ...faulty.map(({ cell, column }) => `${column} ${foldText(cell)}`),
  ].join("\n");
}
