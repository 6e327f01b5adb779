import type { CsvCell } from "../csv/csv-record.ts";

/**
 * Eight or ten digits. Dots stand where the tariff has them, the first after four digits: `901210010.0` is a number with
 * decimals that has lost a zero. The printed tariff has a space before the last two digits.
 */
const HTS = /^\d{4}(?:\.\d{2}(?:[. ]?\d{2}){1,2}|(?: ?\d{2}){2,3})$/;

const CHAPTER_99 = /^99\d{2}(?:\.\d{2}(?:\.?\d{2}){1,2}|(?:\d{2}){2,3})$/;

/** Zeros before eight digits fill a field of ten: there is no chapter 00. */
const PADDING = "00";

/** Returns the digits of an HTS number, or null for another text. */
export function parseHts(cell: CsvCell): string | null {
  const text = cell.toString();
  const digits = isPlainHts(cell) ? text : HTS.test(text) ? text.replace(/[. ]/g, "") : null;
  if (digits === null || !digits.startsWith(PADDING)) return digits;
  return digits.length === 10 && !digits.startsWith(PADDING, 2) ? digits.slice(2) : null;
}

/** True for a number without dots and spaces, maybe with zeros before it. */
const isPlainHts = (cell: CsvCell): boolean => (cell.length === 10 || cell.length === 8) && isDigits(cell);

export function isDigits({ units, start, end }: CsvCell): boolean {
  for (let at = start; at < end; at += 1) {
    const unit = units[at] ?? 0;
    if (unit < 48 || unit > 57) return false;
  }
  return true;
}

export const isChapter99 = (hts: string): boolean => hts.startsWith("99");

/** True for the voided tariffs: 9903.01.* and 9903.02.*. */
export const isIeepa = (hts: string): boolean => hts.startsWith("990301") || hts.startsWith("990302");

/** The same of a number as a list has it, such as `9903.01.24`. */
export const isListedIeepa = (number: string): boolean =>
  number.startsWith("9903.01.") || number.startsWith("9903.02.");

/** Formats `99030124` as `9903.01.24`. */
export const formatChapter99 = (digits: string): string =>
  `${digits.slice(0, 4)}.${digits.slice(4, 6)}.${digits.slice(6)}`;

/** Parses a list that is separated by `;`, `,`, `|` or white space, as the line ends in a cell. */
export function parseChapter99List(cell: string) {
  const items = cell.split(/(?:[;,|]|[^\S\uFEFF])+/).filter((item) => item !== "");
  return {
    numbers: items.map((item) => formatChapter99(item.replaceAll(".", ""))),
    wasNormalized: items.some((item) => !item.includes(".")),
    isValid: items.every((item) => CHAPTER_99.test(item)),
  };
}
