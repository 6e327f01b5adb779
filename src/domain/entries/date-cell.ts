import type { Cell } from "./cell.ts";
import type { Units } from "./csv-record.ts";
import { type Day, dayOf } from "./dates.ts";

type DateFault = "DATE_AMBIGUOUS_DAY_FIRST" | "DATE_INVALID";

const DASH = 0x2d;
const SLASH = 0x2f;

// By unit, for a row has up to four dates, and a look-up of a cell as long costs as much.

/** True when only the ISO form can be meant: ten characters with dashes in the right places. */
export function isIsoShaped({ units, start, end }: Cell): boolean {
  return end - start === 10 && units[start + 4] === DASH && units[start + 7] === DASH;
}

/** Reads `YYYY-MM-DD`, a cell that {@link isIsoShaped}. */
export function readIsoDate({ units, start, end }: Cell): Day | DateFault {
  const year = digits(units, start, start + 4);
  return dayOrFault(year, digits(units, start + 5, start + 7), digits(units, start + 8, end));
}

/** Reads `M/D/YYYY`: one or two digits of month, as many of day, four of year. */
export function readUsDate({ units, start, end }: Cell): Day | DateFault {
  const first = slashAfter(units, start);
  const second = slashAfter(units, first + 1);
  // Beyond a cell's end there are other cells, and slashes of theirs.
  if (end - second !== 5 || units[first] !== SLASH || units[second] !== SLASH) return "DATE_INVALID";
  const month = digits(units, start, first);
  const day = digits(units, first + 1, second);
  const year = digits(units, second + 1, end);
  if (month > 12 && day >= 0 && day <= 12 && year >= 0) return "DATE_AMBIGUOUS_DAY_FIRST";
  return dayOrFault(year, month, day);
}

/** Where one or two characters end, the one in front of a slash or else both. */
function slashAfter(units: Units, start: number): number {
  return units[start + 1] === SLASH ? start + 1 : start + 2;
}

/** The number that the units spell, -1 when one of them is no digit. */
function digits(units: Units, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (units[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function dayOrFault(year: number, month: number, day: number): Day | DateFault {
  return dayOf(year, month, day) ?? "DATE_INVALID";
}
