import { formatCount } from "../../numbers.ts";
import type { Layout } from "../entry.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import type { LocatedColumn } from "../header.ts";

/** In a column with the month first, fewer cells than one of so many have the day first by a typing error. */
const MIN_SHARE_OF_CELLS = 1 / 100;

/** Fewer days may have zeros by chance, as in two exports below each other. */
const MIN_DAYS_WITH_ZEROS = 3;

/** Bits of the second numbers of cells whose first number is below 10, by whether it has a zero before it. */
class Zeros {
  #present = 0;
  #absent = 0;

  count(first: number, second: number, hasZero: boolean): void {
    if (first > 9) return;
    if (hasZero) this.#present |= 1 << second;
    else this.#absent |= 1 << second;
  }

  areOnlyHere(others: Zeros): boolean {
    const isSplit = this.#absent === 0 && others.#present === 0;
    return isSplit && Math.min(countBits(this.#present), countBits(others.#absent)) >= MIN_DAYS_WITH_ZEROS;
  }
}

const countBits = (mask: number): number => (mask >>> 0).toString(2).replaceAll("0", "").length;

/** What cells of one form show about the order of day and month. */
class CellOrder {
  readonly dayFirst = new LineList();
  readonly monthFirst = new LineList();
  /** Cells that can be read in both orders, as different dates. */
  readonly ambiguous = new LineList();
  readonly #zerosOfMonthFirst = new Zeros();
  readonly #zerosOfAmbiguous = new Zeros();

  /**
   * @param first and `second` are the numbers beside the year, in the order of the cell
   * @param hasZero whether the first one begins with a zero
   */
  count(first: number, second: number, line: number, hasZero = false): void {
    if (first < 1 || second < 1) return;
    if (first > 12 && first <= 31 && second <= 12) this.dayFirst.add(line);
    else if (second > 12 && second <= 31 && first <= 12) {
      this.monthFirst.add(line);
      this.#zerosOfMonthFirst.count(first, second, hasZero);
    } else if (first <= 12 && second <= 12 && first !== second) {
      this.ambiguous.add(line);
      this.#zerosOfAmbiguous.count(first, second, hasZero);
    }
  }

  /** Whether another program than the one of the proofs wrote the ambiguous cells: it wrote zeros otherwise. */
  get hasOwnZeros(): boolean {
    const [ambiguous, others] = [this.#zerosOfAmbiguous, this.#zerosOfMonthFirst];
    return ambiguous.areOnlyHere(others) || others.areOnlyHere(ambiguous);
  }

  get isDayFirst(): boolean {
    return this.dayFirst.count > 0 && this.monthFirst.count === 0;
  }

  /** Whether the cells with the day first are more than a typing error. @param filled all cells of the column */
  isMixed(filled: number): boolean {
    const { count } = this.dayFirst;
    const isRepeated = count > 1 && count >= filled * MIN_SHARE_OF_CELLS;
    return this.ambiguous.count > 0 && (this.isDayFirst || isRepeated);
  }
}

/** What the filled cells of one date column show about the order of day and month (diligence-model §1). */
export class DateOrder {
  filled = 0;
  /** Cells as M/D/YYYY or D/M/YYYY, and those with dashes or dots that prove an order. */
  readonly yearLast = new CellOrder();
  /** Cells as YYYY-MM-DD or YYYY-DD-MM. */
  readonly iso = new CellOrder();

  /**
   * Whether a spreadsheet that expects the other order read the column, and left as text what it could not read so. What it
   * could read, it has written as YYYY-MM-DD with day and month swapped.
   */
  get isSwapped(): boolean {
    const { ambiguous, dayFirst, monthFirst } = this.yearLast;
    const hasOnlyProofs = dayFirst.count > 0 !== monthFirst.count > 0 && ambiguous.count === 0;
    return hasOnlyProofs && this.iso.ambiguous.count > 1 && this.iso.monthFirst.count === 0;
  }
}

/** About the date columns of a file, after its last row. */
export function warnAboutDateOrders(
  orders: ReadonlyMap<string, DateOrder>,
  columns: readonly LocatedColumn[],
  layout: Layout,
): FileWarning[] {
  const all = [...orders.values()];
  const yearLastLine = findProof(all, "yearLast");
  const isoLine = findProof(all, "iso");
  const mixed = columns.flatMap(({ name, heading }): FileWarning[] => {
    const order = orders.get(name);
    if (order === undefined) return [];
    const finding =
      describeMixedOrder(heading, order.yearLast, order.filled, yearLastLine) ??
      (order.isSwapped ? describeSwappedOrder(heading, order) : null) ??
      (order.yearLast.hasOwnZeros ? describeOwnZeros(heading, order.yearLast) : null) ??
      describeMixedOrder(heading, order.iso, order.filled, isoLine);
    return finding ? [{ code: "DATE_ORDER_MIXED", severity: "stop", columns: [heading], ...finding }] : [];
  });
  // ES-003 writes the month first.
  return layout === "es003" ? mixed : [...mixed, ...warnAboutUnprovenOrder(orders, columns)];
}

/** Where no cell of the file has a day above 12, the order in which all were read is a guess. */
function warnAboutUnprovenOrder(
  orders: ReadonlyMap<string, DateOrder>,
  columns: readonly LocatedColumn[],
): FileWarning[] {
  const all = [...orders.values()].map(({ yearLast }) => yearLast);
  const isProven = all.some(({ dayFirst, monthFirst }) => dayFirst.count + monthFirst.count > 0);
  const rows = all.reduce((sum, { ambiguous }) => sum + ambiguous.count, 0);
  if (isProven || rows === 0) return [];
  const line = Math.min(...all.flatMap(({ ambiguous }) => ambiguous.first));
  const ambiguous = columns.filter(({ name }) => orders.get(name)?.yearLast.ambiguous.count);
  const headings = ambiguous.map(({ heading }) => heading);
  const detail = `No date with slashes has a day above 12: ${formatCount(rows, "cell")} of ${headings.map((heading) => `"${heading}"`).join(", ")}, from line ${line}, can be read with the day or the month first. The month was read first. If the file has the day first, format the columns as yyyy-mm-dd in Excel or Google Sheets before you save it.`;
  const about = { columns: headings, rows, lines: [line] };
  return [{ code: "DATE_ORDER_UNPROVEN", severity: "warn", detail, ...about }];
}

/** The first line that proves the day first in cells of this form; null if no column does. */
function findProof(orders: readonly DateOrder[], form: "yearLast" | "iso"): number | null {
  const proofs = orders.filter(({ [form]: order, filled }) => order.isDayFirst || order.isMixed(filled));
  return proofs.length === 0
    ? null
    : Math.min(...proofs.flatMap(({ [form]: order }) => order.dayFirst.first));
}

type Finding = Pick<FileWarning, "rows" | "lines" | "detail">;

/** Returns null if the column is not faulty. One without a proof follows the others. */
function describeMixedOrder(
  heading: string,
  order: CellOrder,
  filled: number,
  proofLine: number | null,
): Finding | null {
  const { ambiguous, monthFirst } = order;
  const [ambiguousLine] = ambiguous.first;
  if (proofLine === null || ambiguousLine === undefined) return null;
  if (monthFirst.count > 0 && !order.isMixed(filled)) return null;
  const cells = formatCount(ambiguous.count, "cell");
  return {
    rows: ambiguous.count,
    lines: [proofLine, ambiguousLine],
    detail: `Line ${proofLine} has a date with the day first, and ${cells} of "${heading}", from line ${ambiguousLine}, can be read with the day or the month first. The month was read first. In Excel or Google Sheets, format the column as yyyy-mm-dd before you save the file.`,
  };
}

function describeSwappedOrder(heading: string, { iso, yearLast }: DateOrder): Finding {
  const { count, first } = iso.ambiguous;
  const { dayFirst, monthFirst } = yearLast;
  const [proofLine = 0] = [...dayFirst.first, ...monthFirst.first];
  const [found, expected] = dayFirst.count > 0 ? ["day", "month"] : ["month", "day"];
  const cells = formatCount(count, "cell");
  return {
    rows: count,
    lines: [proofLine, ...first.slice(0, 1)],
    detail: `Line ${proofLine} has a date with the ${found} first in "${heading}", and no day of its dates as YYYY-MM-DD is above 12. A spreadsheet that expects the ${expected} first may have swapped day and month in ${cells}, from line ${first[0]}, before it wrote them. Compare them with the source, and import the column as text.`,
  };
}

function describeOwnZeros(heading: string, { ambiguous, monthFirst }: CellOrder): Finding {
  const { count, first } = ambiguous;
  const [proofLine = 0] = monthFirst.first;
  const cells = formatCount(count, "cell");
  return {
    rows: count,
    lines: [proofLine, ...first.slice(0, 1)],
    detail: `In "${heading}", ${cells} that can be read with the day or the month first, from line ${first[0]}, and the others, as on line ${proofLine}, differ in whether a zero stands before a single digit. A spreadsheet that expects the day first may have swapped day and month where it could, before it wrote them. Compare these cells with the source, and import the column as text.`,
  };
}
