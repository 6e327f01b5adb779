import type { CsvCell } from "../csv/csv-cell.ts";
import codes from "./codes.json" with { type: "json" };

const CHAPTER_99 = /^99(?:\d{6}|\d{8})$/;

const HTS = /^(?:\d{8}|\d{10})$/;

/** Digits of an HTS number, null when there are not 8 or 10. */
export function parseHts(cell: CsvCell): string | null {
  const text = cell.toString();
  if (isPlainHts(cell)) return text;
  const digits = text.replace(/[. ]/g, "");
  return HTS.test(digits) ? digits : null;
}

/** True for digits alone, without dots or spaces. */
export function isPlainHts(cell: CsvCell): boolean {
  return (cell.length === 10 || cell.length === 8) && isDigits(cell);
}

export function isDigits({ units, start, end }: CsvCell): boolean {
  for (let at = start; at < end; at += 1) {
    const unit = units[at] ?? 0;
    if (unit < 48 || unit > 57) return false;
  }
  return true;
}

export function isChapter99(hts: string): boolean {
  return hts.startsWith("99");
}

/** Duty under the voided tariffs: 9903.01.* and 9903.02.*. */
export function isIeepa(hts: string): boolean {
  const prefix = hts.slice(0, 6);
  return codes.ieepaPrefixes.includes(prefix);
}

/** `99030124` as `9903.01.24`. */
export function formatChapter99(digits: string): string {
  return `${digits.slice(0, 4)}.${digits.slice(4, 6)}.${digits.slice(6)}`;
}

export interface Chapter99List {
  readonly numbers: readonly string[];
  /** Some number came without dots. */
  readonly wasNormalised: boolean;
  /** False when an item of the list is not a chapter 99 number. */
  readonly isValid: boolean;
}

/** A list cell: split on `;`, `,`, `|` and space. */
export function parseChapter99List(cell: string): Chapter99List {
  const items = cell.split(/[;,| ]+/).filter((item) => item !== "");
  const digits = items.map((item) => item.replaceAll(".", ""));
  return {
    numbers: digits.map(formatChapter99),
    wasNormalised: items.some((item) => !item.includes(".")),
    isValid: digits.every((number) => CHAPTER_99.test(number)),
  };
}
