import { formatCount } from "../numbers.ts";
import { trimCell } from "./csv/cell-text.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";
import type { Header } from "./header.ts";
import { isAmountColumn } from "./other-header.ts";

/** The digits before a thousands comma, those behind it, and what moved into a column further right. */
const BEFORE_COMMA = /^[1-9]\d{0,2}$/;
const BEHIND_COMMA = /^\d{3}(?:\.\d\d)?$/;
const MOVED_AMOUNT = /^\d+(?:\.\d\d)?$/;

/** A column of any text, right of an amount, which may take what an unquoted comma moves right. */
interface OverflowColumn {
  readonly index: number;
  /** "" for a blank one. */
  readonly heading: string;
  /** The rows with a number in it, which all look shifted. */
  readonly lines: LineList;
  firstDetail: string;
}

/** Finds rows with an unquoted thousands comma, whose cells moved right (diligence-model §1, `CELLS_SHIFTED`). */
export class ShiftedCells {
  readonly #headings: readonly string[];
  readonly #amountIndexes: readonly number[];
  /** Without those that have numbers of their own. */
  readonly #overflows: Set<OverflowColumn>;
  #rowCount = 0;

  constructor({ columns, extras }: Header, headings: readonly string[]) {
    this.#headings = headings;
    this.#amountIndexes = columns.flatMap(({ name, index }) => (isAmountColumn(name) ? [index] : []));
    const first = Math.min(...this.#amountIndexes);
    // Other columns refuse an amount.
    const unjudged = [...columns.filter(({ bit }) => bit === 0), ...extras];
    const overflows = unjudged.flatMap(({ index }) =>
      index < first
        ? []
        : [{ index, heading: headings[index] ?? "", lines: new LineList(), firstDetail: "" }],
    );
    this.#overflows = new Set(overflows);
  }

  check(record: CsvRecord, line: number): void {
    this.#rowCount += 1;
    for (const overflow of this.#overflows) {
      const { index } = overflow;
      // A blank cell begins with its delimiter.
      if (isDigit(record, record.starts[index]) && isDigit(record, (record.ends[index] ?? 0) - 1))
        this.#checkFilled(overflow, record, line);
    }
  }

  #checkFilled(overflow: OverflowColumn, record: CsvRecord, line: number): void {
    const at = this.#findSplitAmount(overflow, record);
    if (at === undefined) {
      this.#overflows.delete(overflow);
      return;
    }
    overflow.lines.add(line);
    const cells = [at, at + 1].map((index) => readCell(record, index));
    const names = [at, at + 1, overflow.index].map((index) => this.#nameColumn(index));
    overflow.firstDetail ||= `Line ${line} has ${cells[0]} in ${names[0]} and ${cells[1]} in ${names[1]}, as if ${cells.join(",")} without quotes had been split. Other rows have no number in ${names[2]}.`;
  }

  /** The index of the cell before the comma. */
  #findSplitAmount({ heading, index: last }: OverflowColumn, record: CsvRecord): number | undefined {
    const moved = readCell(record, last);
    if (!MOVED_AMOUNT.test(moved)) return undefined;
    return this.#amountIndexes.find((index) => {
      const rest = index < last ? readCell(record, index + 1) : "";
      // Whole numbers below 1,000 may be amounts, beside a note that is a number.
      const isAmountPart =
        heading === "" || rest.startsWith("0") || rest.includes(".") || moved.includes(".");
      return isAmountPart && BEHIND_COMMA.test(rest) && BEFORE_COMMA.test(readCell(record, index));
    });
  }

  #nameColumn(index: number): string {
    const heading = this.#headings[index];
    return heading ? `"${heading}"` : `column ${index + 1}`;
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const found = [...this.#overflows].find(({ lines }) => lines.count > 0 && lines.count < this.#rowCount);
    if (found === undefined) return [];
    const { firstDetail, lines } = found;
    const detail = `${firstDetail} In all: ${formatCount(lines.count, "row")}, on ${lines}. Write amounts without thousands commas, or in quotes.`;
    return lines.warn("CELLS_SHIFTED", "stop", detail);
  }
}

const readCell = (record: CsvRecord, index: number): string => trimCell(record.cellText(index));

function isDigit({ units }: CsvRecord, at = 0): boolean {
  const unit = units[at] ?? 0;
  return unit >= 48 && unit <= 57;
}
