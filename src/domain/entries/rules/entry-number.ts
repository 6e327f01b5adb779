import type { CsvCell } from "../csv/csv-record.ts";

type EntryNumberError =
  `ENTRY_NUMBER_${"BODY_NOT_NUMERIC" | "CHARSET" | "CHECK_DIGIT" | "LENGTH" | "SCIENTIFIC"}`;

const ENTRY_NUMBER_LENGTH = 11;
const DASH = 0x2d;

/** Excel turns a long number into `8.1E+10`. Without sign or decimal point, it could be a filer code. */
const SCIENTIFIC = /^\d+(?:[.,]\d+)?E\+\d+$|^\d+[.,]\d+E\d+$/;

/** True for a normalized number. Its check digit may be wrong. */
export const isWellFormed = (number: string): boolean => findFormatError(number) === null;

export function removeDashes(cell: CsvCell): string {
  const hasUsualDashes = cell.length === 13 && cell.unitAt(3) === DASH && cell.unitAt(11) === DASH;
  const text = hasUsualDashes ? cell.slice(0, 3) + cell.slice(4, 11) + cell.slice(12, 13) : cell.toString();
  return text.includes("-") ? text.replaceAll("-", "") : text;
}

/** White space, and the dashes that word processors write. */
const DROPPED = /[^\S\uFEFF]|[\u2010-\u2015\u2212]/g;

export const normalizeEntryNumber = (dashless: string): string => dashless.replace(DROPPED, "").toUpperCase();

/** Returns the first error of a normalized number, or null. */
export function findEntryNumberError(number: string): EntryNumberError | null {
  const formatError = findFormatError(number);
  if (formatError !== null) return SCIENTIFIC.test(number) ? "ENTRY_NUMBER_SCIENTIFIC" : formatError;
  return findCheckDigitError(number);
}

/** Whether a text is an entry number with a right check digit, however it is written. */
export const isEntryNumber = (text: string): boolean =>
  findEntryNumberError(normalizeEntryNumber(text.replaceAll("-", ""))) === null;

/** Expects a number that is well-formed. */
export const findCheckDigitError = (number: string): EntryNumberError | null =>
  computeCheckDigit(number) === digitValue(number.charCodeAt(10)) ? null : "ENTRY_NUMBER_CHECK_DIGIT";

function findFormatError(number: string): EntryNumberError | null {
  if (number.length !== ENTRY_NUMBER_LENGTH) return "ENTRY_NUMBER_LENGTH";
  for (let at = 0; at < 3; at += 1) {
    const code = number.charCodeAt(at);
    if (!isDigit(code) && !isLetter(code)) return "ENTRY_NUMBER_CHARSET";
  }
  for (let at = 3; at < ENTRY_NUMBER_LENGTH; at += 1) {
    if (!isDigit(number.charCodeAt(at))) return "ENTRY_NUMBER_BODY_NOT_NUMERIC";
  }
  return null;
}

/** Computes the check digit of the first ten characters (diligence-model §1). */
export function computeCheckDigit(number: string): number {
  let sum = 0;
  for (let at = 0; at < 10; at += 1) {
    const value = digitValue(number.charCodeAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return (10 - (sum % 10)) % 10;
}

/** Encodes a well-formed number as an integer, without its check digit. */
export function encodeEntryNumber(number: string): number {
  let key = 0;
  for (let at = 0; at < 3; at += 1) {
    const code = number.charCodeAt(at);
    key = key * 36 + (isDigit(code) ? code - 48 : code - 55);
  }
  for (let at = 3; at < 10; at += 1) key = key * 10 + (number.charCodeAt(at) - 48);
  return key;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => code >= 65 && code <= 90;

/** A-I, J-R and S-Z count 1-9, 1-9 and 2-9. */
function digitValue(code: number): number {
  if (code < 65) return code - 48;
  if (code < 74) return code - 64;
  if (code < 83) return code - 73;
  return code - 81;
}
