import type { CsvCell } from "../csv/csv-cell.ts";
import type { CodeUnits } from "../csv/csv-record.ts";
import { type Day, toDay } from "../dates.ts";

type DateErrorCode = "DATE_AMBIGUOUS_DAY_FIRST" | "DATE_INVALID";

const DASH = 0x2d;
const SLASH = 0x2f;

// By unit, for a row has up to four dates, and a look-up of a cell as long costs as much.

/** True when only the ISO form can be meant: ten characters with dashes in the right places. */
export function hasIsoFormat({ units, start, end }: CsvCell): boolean {
  return end - start === 10 && units[start + 4] === DASH && units[start + 7] === DASH;
}

/** Reads `YYYY-MM-DD`, a cell that {@link hasIsoFormat}. */
export function parseIsoDate({ units, start, end }: CsvCell): Day | DateErrorCode {
  const year = parseDigits(units, start, start + 4);
  return toDayOrError(year, parseDigits(units, start + 5, start + 7), parseDigits(units, start + 8, end));
}

/** Reads `M/D/YYYY`: one or two digits of month, as many of day, four of year. */
export function parseUsDate({ units, start, end }: CsvCell): Day | DateErrorCode {
  const first = findSlash(units, start);
  const second = findSlash(units, first + 1);
  // Beyond a cell's end there are other cells, and slashes of theirs.
  if (end - second !== 5 || units[first] !== SLASH || units[second] !== SLASH) return "DATE_INVALID";
  const month = parseDigits(units, start, first);
  const day = parseDigits(units, first + 1, second);
  const year = parseDigits(units, second + 1, end);
  if (month > 12 && day >= 0 && day <= 12 && year >= 0) return "DATE_AMBIGUOUS_DAY_FIRST";
  return toDayOrError(year, month, day);
}

/** Where one or two characters end, the one in front of a slash or else both. */
function findSlash(units: CodeUnits, start: number): number {
  return units[start + 1] === SLASH ? start + 1 : start + 2;
}

/** The number that the units spell, -1 when one of them is no digit. */
function parseDigits(units: CodeUnits, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (units[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function toDayOrError(year: number, month: number, day: number): Day | DateErrorCode {
  return toDay(year, month, day) ?? "DATE_INVALID";
}
