import { formatCount } from "../numbers.ts";
import { trimCell } from "./csv/cell-text.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";
import type { Header } from "./header.ts";
import { isAmountColumn } from "./other-header.ts";

/** The digits before a thousands comma, those behind it, and what moved into a column further right. */
const BEFORE_COMMA = /^\$?[1-9]\d{0,2}$/;
const BEHIND_COMMA = /^\d{3}(?:\.\d\d?)?$/;
const MOVED_AMOUNT = /^\$?\d+(?:\.\d\d?)?$/;

const DOLLAR = 0x24;
const ZERO = 0x30;

/** A column whose cells may show that a comma split an amount. */
class Suspect {
  readonly index: number;
  /** The rows that look shifted. */
  readonly lines = new LineList();
  firstDetail = "";

  constructor(index: number) {
    this.index = index;
  }
}

/** Finds rows with an unquoted thousands comma, whose cells moved right (diligence-model §1, `CELLS_SHIFTED`). */
export class ShiftedCells {
  readonly #headings: readonly string[];
  readonly #amountIndexes: readonly number[];
  /** Amounts, without those before a column that pads its numbers with zeros. */
  readonly #beforeZeros: Set<Suspect>;
  /** Optional columns right of an amount that take any text or an amount, without those that have numbers of their own. */
  readonly #overflows: Set<Suspect>;
  /** Columns without a heading behind all others, without those that have words. */
  readonly #unnamed: Set<Suspect>;
  #rowCount = 0;

  constructor({ columns, extras }: Header, headings: readonly string[]) {
    this.#headings = headings;
    const amounts = columns.filter(({ name }) => isAmountColumn(name));
    this.#amountIndexes = amounts.map(({ index }) => index);
    this.#beforeZeros = new Set(this.#amountIndexes.map((index) => new Suspect(index)));
    const last = headings.findLastIndex((heading) => heading !== "");
    this.#unnamed = new Set(headings.flatMap((_, index) => (index > last ? [new Suspect(index)] : [])));
    const first = Math.min(...this.#amountIndexes);
    const texts = columns.filter(({ bit }) => bit === 0);
    const overflows = [...texts, ...amounts.filter(({ isRequired }) => !isRequired), ...extras];
    this.#overflows = new Set(overflows.flatMap(({ index }) => (index < first ? [] : [new Suspect(index)])));
  }

  check(record: CsvRecord, line: number): void {
    this.#rowCount += 1;
    for (const column of this.#unnamed) this.#checkUnnamed(column, record, line);
    for (const amount of this.#beforeZeros) {
      const start = record.starts[amount.index + 1] ?? 0;
      if (record.units[start] === ZERO && isDigit(record, start + 1)) this.#checkZeros(amount, record, line);
    }
    for (const overflow of this.#overflows) {
      const { index } = overflow;
      const start = record.starts[index] ?? 0;
      const isAmount = isDigit(record, start) || record.units[start] === DOLLAR;
      // A blank cell begins with its delimiter.
      if (isAmount && isDigit(record, (record.ends[index] ?? 0) - 1))
        this.#checkOverflow(overflow, record, line);
    }
  }

  #checkUnnamed(column: Suspect, record: CsvRecord, line: number): void {
    const cell = readCell(record, column.index);
    if (MOVED_AMOUNT.test(cell)) column.lines.add(line);
    else if (cell !== "") this.#unnamed.delete(column);
  }

  /** Three digits that begin with a zero show a comma by themselves: no program pads one amount, and not that before it. */
  #checkZeros(amount: Suspect, record: CsvRecord, line: number): void {
    const { index } = amount;
    const rest = readCell(record, index + 1);
    // A number of a line or a code may be 001.
    const isAmount = rest.includes(".") || this.#amountIndexes.includes(index + 1);
    if (!isAmount || !BEHIND_COMMA.test(rest)) return;
    if (BEFORE_COMMA.test(readCell(record, index))) this.#addRow(amount, index, record, line);
    else this.#beforeZeros.delete(amount);
  }

  #checkOverflow(overflow: Suspect, record: CsvRecord, line: number): void {
    const at = this.#findSplitAmount(overflow.index, record);
    if (at === undefined) this.#overflows.delete(overflow);
    else this.#addRow(overflow, at, record, line);
  }

  /** The index of the cell before the comma. @param last the column into which a number moved */
  #findSplitAmount(last: number, record: CsvRecord): number | undefined {
    const moved = readCell(record, last);
    if (!MOVED_AMOUNT.test(moved)) return undefined;
    const isAmountColumn = this.#amountIndexes.includes(last);
    return this.#amountIndexes.find((index) => {
      const before = readCell(record, index);
      const rest = index < last ? readCell(record, index + 1) : "";
      if (!BEFORE_COMMA.test(before) || !BEHIND_COMMA.test(rest)) return false;
      // One entry may have a fee that the others have not, and a duty below its value.
      if (isAmountColumn) return Number(rest) > Number(before.replace("$", ""));
      // Whole numbers below 1,000 may be amounts, beside a note that is a number.
      return this.#headings[last] === "" || rest.includes(".") || moved.includes(".");
    });
  }

  /** @param at the index of the cell before the comma */
  #addRow(suspect: Suspect, at: number, record: CsvRecord, line: number): void {
    suspect.lines.add(line);
    const cells = [at, at + 1].map((index) => readCell(record, index));
    const names = [at, at + 1].map((index) => this.#nameColumn(index));
    suspect.firstDetail ||= `Line ${line} has ${cells[0]} in ${names[0]} and ${cells[1]} in ${names[1]}, as if ${cells.join(",")} without quotes had been split.`;
  }

  #nameColumn(index: number): string {
    const heading = this.#headings[index];
    return heading ? `"${heading}"` : `column ${index + 1}`;
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const isPart = ({ lines }: Suspect) => lines.count < this.#rowCount;
    const found = [...this.#beforeZeros, ...[...this.#overflows].filter(isPart)].find(
      ({ lines }) => lines.count > 0,
    );
    if (found === undefined) return this.#warnAboutUnnamed();
    const { firstDetail, lines } = found;
    const detail = `${firstDetail} In all: ${formatCount(lines.count, "row")}, on ${lines}. Write amounts without thousands commas, or in quotes.`;
    return lines.warn("CELLS_SHIFTED", "stop", detail);
  }

  /** A spreadsheet gives the heading line a blank cell for the one that a row has too many. */
  #warnAboutUnnamed(): FileWarning[] {
    const { index, lines } =
      [...this.#unnamed].find(({ lines: { count } }) => count > 0 && count < this.#rowCount) ?? {};
    if (index === undefined || lines === undefined) return [];
    const rows = formatCount(lines.count, "row has", "rows have");
    const detail = `Column ${index + 1} has no heading, and ${rows} a number in it, on ${lines}. Look whether an unquoted comma moved the cells of these rows to the right. If they are right, give the column a heading or remove it.`;
    return lines.warn("CELLS_SHIFTED", "warn", detail);
  }
}

const readCell = (record: CsvRecord, index: number): string => trimCell(record.cellText(index));

function isDigit({ units }: CsvRecord, at = 0): boolean {
  const unit = units[at] ?? 0;
  return unit >= 48 && unit <= 57;
}
