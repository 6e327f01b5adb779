import { type CodeUnits, type CsvCell, parseDigits } from "../csv/csv-record.ts";
import { type Day, toDay } from "../dates.ts";
import type { DateOrder } from "./date-orders.ts";

export type DateErrorCode = "DATE_AMBIGUOUS_DAY_FIRST" | "DATE_FORMAT" | "DATE_INVALID";

/** Other years are of days that programs write for an empty date, of other calendars, or two-digit ones that became 19xx. */
const MIN_YEAR = 1980;
const MAX_YEAR = 2200;

const DASH = 0x2d;
const SLASH = 0x2f;
const ZERO = 0x30;

/** Midnight, as databases and spreadsheets add it to a date. */
const MIDNIGHT =
  /(?: 0?0:00(?::00(?:\.0+)?)?|T00:00:00(?:\.0+)?| 12:00(?::00)?[ \u00a0\u202f][Aa]\.?[Mm]\.?)$/;

// These functions read units: a row has up to four dates, and to find the text of a cell takes as long as to read it.

/** True for ten characters with dashes where `YYYY-MM-DD` has them. */
export const hasIsoFormat = ({ units, start, end }: CsvCell): boolean =>
  end - start === 10 && units[start + 4] === DASH && units[start + 7] === DASH;

/** Selects the date of a cell that ends with midnight. Returns whether it does. */
export function dropMidnight(cell: CsvCell): boolean {
  if (cell.length < 13 || cell.length > 27) return false;
  const midnight = MIDNIGHT.exec(cell.toString())?.[0];
  if (midnight === undefined) return false;
  cell.end -= midnight.length;
  return true;
}

/** Parses `YYYY-MM-DD` when {@link hasIsoFormat} is true. Counts both numbers for the order of the column. */
export function parseIsoDate(
  { units, start, end }: CsvCell,
  order: DateOrder,
  line: number,
): Day | DateErrorCode {
  const year = parseDigits(units, start, start + 4);
  const month = parseDigits(units, start + 5, start + 7);
  const day = parseDigits(units, start + 8, end);
  order.iso.count(month, day, line);
  return toDayOrError(year, month, day);
}

/** Parses `M/D/YYYY`, with one or two digits for month and day. Counts both for the order of the column, whatever follows. */
export function parseUsDate(cell: CsvCell, order: DateOrder, line: number): Day | DateErrorCode {
  const { units, start, end } = cell;
  const first = findSlash(units, start);
  const second = findSlash(units, first + 1);
  // The slashes may be in a cell after this one.
  if (second + 1 >= end || units[first] !== SLASH || units[second] !== SLASH) {
    countRefusedDate(cell, order, line);
    return "DATE_FORMAT";
  }
  const month = parseDigits(units, start, first);
  const day = parseDigits(units, first + 1, second);
  order.yearLast.count(month, day, line, units[start] === ZERO);
  if (end - second !== 5) return "DATE_FORMAT";
  const year = parseDigits(units, second + 1, end);
  if (month > 12 && day >= 0 && day <= 12 && year >= 0) return "DATE_AMBIGUOUS_DAY_FIRST";
  return toDayOrError(year, month, day);
}

const WITH_DASHES_OR_DOTS = /^(?<first>\d{1,2})([-.])(?<second>\d{1,2})\2\d{4}/;

/** Counts a date with dashes or dots as a proof only: it is refused in any case, and so never read in a wrong order. */
function countRefusedDate(cell: CsvCell, order: DateOrder, line: number): void {
  const { first, second } = WITH_DASHES_OR_DOTS.exec(cell.toString())?.groups ?? {};
  if (Number(first) > 12 || Number(second) > 12)
    order.yearLast.count(Number(first), Number(second), line, cell.unitAt(0) === ZERO);
}

/** The expected position of a slash after one or two characters. */
const findSlash = (units: CodeUnits, start: number): number =>
  units[start + 1] === SLASH ? start + 1 : start + 2;

function toDayOrError(year: number, month: number, day: number): Day | DateErrorCode {
  if (year < 0 || month < 0 || day < 0) return "DATE_FORMAT";
  if (year < MIN_YEAR || year > MAX_YEAR) return "DATE_INVALID";
  return toDay(year, month, day) ?? "DATE_INVALID";
}
