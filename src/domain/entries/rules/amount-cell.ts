import type { CsvCell } from "../csv/csv-record.ts";
import { type CodeUnits, codeUnitsOf } from "../csv/csv-record.ts";

const MAX_WHOLE_DIGITS = 11;
const DOLLAR = 0x24;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Parses `digits[.d[d]]` with 1 to 11 whole digits; -1 for other texts. It reads code units: a row has many amounts. */
export function parsePlainCents(units: CodeUnits, start: number, end: number): number {
  let at = start;
  let value = 0;
  while (at < end) {
    const digit = (units[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    at += 1;
  }
  if (at === start || at - start > MAX_WHOLE_DIGITS) return -1;
  return addDecimals(value, units, start, at, end);
}

/** A dollar sign before or after the amount, not both. */
const DOLLAR_SIGN = /^\$[ \u00a0\u202f]*(?=[^$]*$)|[ \u00a0\u202f]*\$$/;

/** Groups of three digits with one kind of separator. `0,021` has a decimal comma. */
const GROUPED = /^[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:\.\d{1,2})?$/;

/** Parses a cell with dollar signs and groups of digits, for which {@link parsePlainCents} returned -1. */
export function parseFormattedCents(cell: CsvCell): number | "AMOUNT_NEGATIVE" | "AMOUNT_NOT_NUMERIC" {
  const cents = parseExportedCents(cell);
  if (cents !== -1) return cents;
  const text = cell.toString();
  if (/^[(-][\d.]/.test(text.replace(/[$ \u00a0\u202f]/g, ""))) return "AMOUNT_NEGATIVE";
  const amount = text.replace(DOLLAR_SIGN, "");
  // The accounting format of spreadsheets shows zero so.
  if (amount === "-") return 0;
  const plain = GROUPED.test(amount) ? amount.replace(/[, \u00a0\u202f]/g, "") : amount;
  const plainCents = parsePlainCents(codeUnitsOf(plain), 0, plain.length);
  return plainCents === -1 ? "AMOUNT_NOT_NUMERIC" : plainCents;
}

/** Parses the form that exports write, `$1,234.56`. Returns -1 for others, which may still be amounts. */
function parseExportedCents({ units, start, end }: CsvCell): number {
  const first = units[start] === DOLLAR ? start + 1 : start;
  let at = first;
  let value = 0;
  let commas = 0;
  let sinceComma = 0;
  for (; at < end; at += 1) {
    const unit = units[at] ?? 0;
    if (unit === COMMA) {
      const isGroup = commas > 0 ? sinceComma === 3 : canStartGroups(units, first, at);
      if (!isGroup) return -1;
      commas += 1;
      sinceComma = 0;
      continue;
    }
    if (unit < ZERO || unit > NINE) break;
    value = value * 10 + unit - ZERO;
    sinceComma += 1;
  }
  const digits = at - first - commas;
  if (digits === 0 || digits > MAX_WHOLE_DIGITS || (commas > 0 && sinceComma !== 3)) return -1;
  return addDecimals(value, units, first, at, end);
}

/** Whether the digits before the first comma can be those of thousands, and not the whole part before a decimal comma. */
const canStartGroups = (units: CodeUnits, first: number, comma: number): boolean =>
  comma > first && comma - first <= 3 && units[first] !== ZERO;

/**
 * Adds the `.d[d]` from `at` to `end`, if any, to whole dollars. Returns -1 for another text there, and for a zero before an
 * amount without a point: `00012345` of a record with fixed width is 123.45, not 12345.
 */
function addDecimals(dollars: number, units: CodeUnits, start: number, at: number, end: number): number {
  if (at === end) return units[start] === ZERO && dollars > 0 ? -1 : dollars * 100;
  const decimals = end - at - 1;
  if (units[at] !== POINT || decimals < 1 || decimals > 2) return -1;
  const tenths = (units[at + 1] ?? 0) - ZERO;
  const hundredths = decimals === 2 ? (units[at + 2] ?? 0) - ZERO : 0;
  if (tenths < 0 || tenths > 9 || hundredths < 0 || hundredths > 9) return -1;
  return dollars * 100 + tenths * 10 + hundredths;
}
