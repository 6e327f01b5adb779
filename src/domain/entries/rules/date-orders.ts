import { formatCount } from "../../numbers.ts";
import type { FileWarning } from "../file-warnings.ts";
import type { LocatedColumn } from "../header.ts";

/** In a column with the month first, fewer cells than one of so many have the day first by a typing error. */
const MIN_SHARE_OF_CELLS = 1 / 100;

/** What the filled cells of one date column show about the order of day and month (diligence-model §1). */
export class DateOrder {
  filled = 0;
  dayFirst = 0;
  monthFirst = 0;
  /** Cells that can be read in both orders, as different dates. */
  ambiguous = 0;
  dayFirstLine = 0;
  ambiguousLine = 0;
  /** Cells as YYYY-MM-DD whose day and month are different numbers from 1 to 12. */
  swappable = 0;
  swappableLine = 0;
  hasLateIsoDay = false;
  /** Cells as YYYY-DD-MM whose day is above 12. */
  yearDayMonth = 0;
  yearDayMonthLine = 0;

  /** @param first and `second` are the numbers before the year of a cell with slashes */
  countCell(first: number, second: number, line: number): void {
    if (first < 1 || second < 1) return;
    if (first > 12 && first <= 31 && second <= 12) {
      if (this.dayFirst === 0) this.dayFirstLine = line;
      this.dayFirst += 1;
    } else if (second > 12 && second <= 31 && first <= 12) {
      this.monthFirst += 1;
    } else if (first <= 12 && second <= 12 && first !== second) {
      if (this.ambiguous === 0) this.ambiguousLine = line;
      this.ambiguous += 1;
    }
  }

  /** Counts a cell with other marks than slashes, which may prove an order, but is not read. */
  countRefusedCell(first: number, second: number, line: number): void {
    if (first > 12 || second > 12) this.countCell(first, second, line);
  }

  /** Counts a cell as YYYY-MM-DD that exists, or that exists as YYYY-DD-MM alone. */
  countIsoCell(month: number, day: number, line: number): void {
    if (day > 12) this.hasLateIsoDay = true;
    if (month > 12) {
      if (this.yearDayMonth === 0) this.yearDayMonthLine = line;
      this.yearDayMonth += 1;
    }
    if (day > 12 || month > 12 || day === month) return;
    if (this.swappable === 0) this.swappableLine = line;
    this.swappable += 1;
  }

  get isDayFirst(): boolean {
    return this.dayFirst > 0 && this.monthFirst === 0;
  }

  /** Whether its own cells with the day first are more than a typing error. */
  get isMixed(): boolean {
    return this.ambiguous > 0 && (this.isDayFirst || this.#isRepeated(this.dayFirst));
  }

  /** Whether its cells as YYYY-DD-MM are more than a typing error. */
  get isYearDayMonth(): boolean {
    return this.yearDayMonth > 0 && (!this.hasLateIsoDay || this.#isRepeated(this.yearDayMonth));
  }

  #isRepeated(proofs: number): boolean {
    return proofs > 1 && proofs >= this.filled * MIN_SHARE_OF_CELLS;
  }

  /**
   * Whether a spreadsheet that expects the month first read the column, and left as text what it could not read so. What it
   * could read, it has written as YYYY-MM-DD with day and month swapped.
   */
  get isSwapped(): boolean {
    return this.isDayFirst && this.ambiguous === 0 && this.swappable > 1 && !this.hasLateIsoDay;
  }
}

/** About the date columns of a file, after its last row. */
export function warnAboutDateOrders(
  orders: ReadonlyMap<string, DateOrder>,
  columns: readonly LocatedColumn[],
): FileWarning[] {
  const all = [...orders.values()];
  const proofs = all.filter(({ isDayFirst, isMixed }) => isDayFirst || isMixed);
  const isoProofs = all.filter(({ isYearDayMonth }) => isYearDayMonth);
  const proofLine = Math.min(...proofs.map(({ dayFirstLine }) => dayFirstLine));
  const isoProofLine = Math.min(...isoProofs.map(({ yearDayMonthLine }) => yearDayMonthLine));
  const describe = (heading: string, order: DateOrder): Finding | null => {
    // A column without a proof follows the others.
    const isFollower = proofs.length > 0 && order.monthFirst === 0 && order.ambiguous > 0;
    const isIsoFollower = isoProofs.length > 0 && !order.hasLateIsoDay;
    if (order.isMixed || isFollower) return describeMixedOrder(heading, order, proofLine);
    if (order.isSwapped) return describeSwappedOrder(heading, order);
    const isYearDayMonth = order.swappable > 0 && (order.isYearDayMonth || isIsoFollower);
    return isYearDayMonth ? describeYearDayMonth(heading, order, isoProofLine) : null;
  };
  return columns.flatMap(({ name, heading }): FileWarning[] => {
    const order = orders.get(name);
    const finding = order && describe(heading, order);
    if (!finding) return [];
    const [rows, lines, detail] = finding;
    return [{ code: "DATE_ORDER_MIXED", severity: "stop", detail, columns: [heading], rows, lines }];
  });
}

type Finding = readonly [rows: number, lines: number[], detail: string];

function describeMixedOrder(heading: string, order: DateOrder, proofLine: number): Finding {
  const { ambiguous, ambiguousLine } = order;
  const cells = formatCount(ambiguous, "cell");
  return [
    ambiguous,
    [proofLine, ambiguousLine],
    `Line ${proofLine} has a date with the day first, and ${cells} of "${heading}", from line ${ambiguousLine}, can be read with the day or the month first. The month was read first. In Excel or Google Sheets, format the column as yyyy-mm-dd before you save the file.`,
  ];
}

function describeSwappedOrder(heading: string, order: DateOrder): Finding {
  const { dayFirstLine, swappable, swappableLine } = order;
  const cells = formatCount(swappable, "cell");
  return [
    swappable,
    [dayFirstLine, swappableLine],
    `Line ${dayFirstLine} has a date with the day first in "${heading}", and no day of its dates as YYYY-MM-DD is above 12. A spreadsheet that expects the month first may have swapped day and month in ${cells}, from line ${swappableLine}, before it wrote them. Compare them with the source, and import the column as text.`,
  ];
}

function describeYearDayMonth(heading: string, order: DateOrder, proofLine: number): Finding {
  const { swappable, swappableLine } = order;
  const cells = formatCount(swappable, "cell");
  return [
    swappable,
    [proofLine, swappableLine],
    `Line ${proofLine} has a date as year-day-month, and ${cells} of "${heading}", from line ${swappableLine}, can be read in both orders. The month was read first. In Excel or Google Sheets, format the column as yyyy-mm-dd before you save the file.`,
  ];
}
