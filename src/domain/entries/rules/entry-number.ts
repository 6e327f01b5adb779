import type { CsvCell } from "../csv/csv-cell.ts";
import type { RowErrorCode } from "./row-error-messages.ts";

const ENTRY_NUMBER_LENGTH = 11;
const DASH = 0x2d;

/** Excel turns a long number into `8.1E+10`; without sign or decimal point it could be a filer code. */
const SCIENTIFIC = /^\d+(?:[.,]\d+)?E\+\d+$|^\d+[.,]\d+E\d+$/;

/** True for eleven characters that need no normalising; the check digit may be wrong. */
export function isWellFormed(number: string): boolean {
  return findFormatError(number) === null;
}

/** Without dashes; spaces and letter case as they stand. */
export function removeDashes(cell: CsvCell): string {
  if (cell.length === 13 && cell.unitAt(3) === DASH && cell.unitAt(11) === DASH) {
    const number = cell.slice(0, 3) + cell.slice(4, 11) + cell.slice(12, 13);
    if (isWellFormed(number)) return number;
  }
  const text = cell.toString();
  return text.includes("-") ? text.replaceAll("-", "") : text;
}

/** The compared form of a number without dashes: no spaces, upper-case. */
export function normaliseEntryNumber(dashless: string): string {
  return (dashless.includes(" ") ? dashless.replaceAll(" ", "") : dashless).toUpperCase();
}

/** The first thing wrong with a normalised number, null when it is right. */
export function findEntryNumberError(number: string): RowErrorCode | null {
  const formatError = findFormatError(number);
  if (formatError !== null) return SCIENTIFIC.test(number) ? "ENTRY_NUMBER_SCIENTIFIC" : formatError;
  return computeCheckDigit(number) === digitValue(number.charCodeAt(10)) ? null : "ENTRY_NUMBER_CHECK_DIGIT";
}

function findFormatError(number: string): RowErrorCode | null {
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

/** The check digit of the first ten characters (diligence-model §1). */
export function computeCheckDigit(number: string): number {
  let sum = 0;
  for (let at = 0; at < 10; at += 1) {
    const value = digitValue(number.charCodeAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return (10 - (sum % 10)) % 10;
}

/** One integer for each well-formed number; the check digit adds nothing. */
export function encodeEntryNumber(number: string): number {
  let key = 0;
  for (let at = 0; at < 3; at += 1) {
    const code = number.charCodeAt(at);
    key = key * 36 + (isDigit(code) ? code - 48 : code - 55);
  }
  for (let at = 3; at < 10; at += 1) key = key * 10 + (number.charCodeAt(at) - 48);
  return key;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(code: number): boolean {
  return code >= 65 && code <= 90;
}

/** A digit is itself; A-I, J-R and S-Z count 1-9, 1-9 and 2-9. */
function digitValue(code: number): number {
  if (code < 65) return code - 48;
  if (code < 74) return code - 64;
  if (code < 83) return code - 73;
  return code - 81;
}
