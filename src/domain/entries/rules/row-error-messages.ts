import { type ColumnName, findColumn } from "../columns.ts";
import { copyText } from "../csv/copy-text.ts";
import type { LocatedColumn } from "../header.ts";
import {
  adviseAmount,
  adviseCode,
  adviseDate,
  adviseEntryNumber,
  adviseTariffNumber,
  isNoValue,
} from "./cell-advice.ts";
import { computeCheckDigit, isWellFormed, normalizeEntryNumber } from "./entry-number.ts";
import { adviseHidden, showHidden } from "./hidden-characters.ts";
import { maskSocialSecurityNumbers, normalizeImporterNumber } from "./importer-number.ts";
import { isNoteOfReport, isTotalsCell } from "./totals-label.ts";

/** An error as found. `describeRowErrors` gives it its text. */
export interface RawRowError {
  readonly code: RowErrorCode;
  /** Of the row that caused it. */
  readonly line: number;
  readonly column: ColumnName;
  readonly cell: string;
  /** The line of the row that this one repeats. */
  readonly duplicateOfLine?: number;
}

export interface RowError {
  readonly code: RowErrorCode;
  /** The physical line of the row that caused it (header = 1). */
  readonly line: number;
  /** The heading of the file; the name of the column in the model if the file lacks it. */
  readonly column: string;
  readonly detail: string;
}

/** A rejected entry: the line of its (first) row, and the errors of its rows by line, each code of a row once, sorted. */
export interface Rejection {
  readonly line: number;
  /** Normalized; null when the cell is blank. */
  readonly entryNumber: string | null;
  readonly errors: readonly RowError[];
}

const MAX_EXCERPT_LENGTH = 40;

/** Columns whose cells are never repeated, because they name people. */
const PRIVATE_COLUMNS: ReadonlySet<ColumnName> = new Set(["importer_number", "importer_name"]);

/** What the rows of totals lack. */
const MISSING_IN_TOTALS: ReadonlySet<ColumnName> = new Set([
  "entry_number",
  "entry_summary_line_number",
  "hts_number",
]);

/** The reasons to reject a row (diligence-model §1). */
export const ROW_ERROR_MESSAGES = {
  AMOUNT_NEGATIVE: "An amount must not be negative.",
  AMOUNT_NOT_NUMERIC: "An amount has 1 to 11 digits and at most two decimals.",
  CHAPTER_99_FORMAT: "A chapter 99 number is 99 and 6 or 8 more digits.",
  COUNTRY_UNKNOWN: "A country is a two-letter code of ISO 3166-1.",
  DATE_AMBIGUOUS_DAY_FIRST: "The day seems to come before the month. Write YYYY-MM-DD.",
  DATE_FORMAT: "A date is YYYY-MM-DD or M/D/YYYY.",
  DATE_INVALID: "This date does not exist, or is before 1980 or after 2200. Write YYYY-MM-DD.",
  DATE_IN_FUTURE: "The date is after that of the assessment.",
  ENTRY_FIELDS_DISAGREE: "The rows of this entry differ in this column.",
  ENTRY_INCOMPLETE:
    "The row has a tariff number and no entry number, so it seems to be of the entry above. In the report tool, fill down: show all duplicate values. In Excel, fill the blank cells of the column from above.",
  ENTRY_NUMBER_BODY_NOT_NUMERIC: "The last eight characters of an entry number are digits.",
  ENTRY_NUMBER_CHARSET: "The first three characters of an entry number are A-Z or 0-9.",
  ENTRY_NUMBER_CHECK_DIGIT: "The check digit of the entry number is wrong.",
  ENTRY_NUMBER_DUPLICATE: "An earlier row has the same entry number.",
  ENTRY_NUMBER_LENGTH: "An entry number has 11 characters without dashes.",
  ENTRY_NUMBER_SCIENTIFIC: "A spreadsheet turned the entry number into a number. Format the column as text.",
  ENTRY_TYPE_UNKNOWN: "This entry type code is unknown.",
  ENTRY_VERSIONS_MIXED:
    "An earlier row of this entry has another version of the entry summary. Keep the highest version: remove the rows of the others.",
  FORMULA_INJECTION:
    "A cell must not start with =, + or @, as a formula of a spreadsheet. Write the value alone.",
  HTS_LENGTH: "An HTS number has 8 or 10 digits.",
  IMPORTER_NUMBER_FORMAT:
    "An importer number is NN-NNNNNNN with an optional suffix, NNN-NN-NNNN or NNNNNN-NNNNN.",
  INDICATOR_UNKNOWN: "An indicator is Y, YES, TRUE, T, 1 or X; N, NO, FALSE, F, 0 or blank.",
  LIQUIDATION_BEFORE_ENTRY: "The liquidation date is before the entry date.",
  LIQUIDATION_DATE_IN_FUTURE:
    "A liquidated entry cannot have a liquidation date more than 31 days after the date of the assessment.",
  LIQUIDATION_DATE_MISSING: "A liquidated entry needs its liquidation date.",
  LIQUIDATION_STATUS_CONFLICT: "An entry that is not liquidated cannot have a liquidation date in the past.",
  LIQUIDATION_STATUS_UNKNOWN: "This liquidation status is unknown.",
  PORT_CODE_FORMAT: "A port code has 4 digits.",
  PROTEST_NUMBER_FORMAT:
    "A spreadsheet or pandas took the protest number for an amount, so that digits may be lost. Import the column as text.",
  PROTEST_STATUS_UNKNOWN: "A protest is OPEN, SUSPENDED, DENIED, ALLOWED or blank.",
  REQUIRED_FIELD_MISSING: "This column must not be blank.",
  TARIFF_LINE_DUPLICATE:
    "An earlier row of this entry has the same line number and tariff ordinal. If an export was pasted twice, remove the copy.",
  TOTAL_MISMATCH: "The total differs from the sum of its parts by more than $1.00.",
} as const;

export type RowErrorCode = keyof typeof ROW_ERROR_MESSAGES;

/** By line, each code of a row once, sorted. @param columns those of the file */
export function describeRowErrors(
  errors: readonly RawRowError[],
  columns: readonly LocatedColumn[],
): RowError[] {
  const first = new Map<string, RawRowError>();
  const headingLines = new Set(errors.filter(isRepeatedHeading).map(({ line }) => line));
  for (const error of errors) {
    const key = `${error.line} ${error.code}`;
    const isExplained = headingLines.has(error.line) && !isRepeatedHeading(error);
    if (!first.has(key) && !isExplained) first.set(key, error);
  }
  return [...first.values()]
    .sort((a, b) => a.line - b.line || (a.code < b.code ? -1 : 1))
    .map((error) => ({
      code: error.code,
      line: error.line,
      column: columns.find(({ name }) => name === error.column)?.heading ?? error.column,
      detail: copyText(describeRowError(error)),
    }));
}

function describeRowError(error: RawRowError): string {
  const { code, column, cell, duplicateOfLine } = error;
  if (isRepeatedHeading(error)) return REPEATED_HEADINGS;
  if (code === "ENTRY_INCOMPLETE" && cell !== "")
    return `The row has the number "${excerpt(cell)}", which is not valid and close to that of this entry, so it seems to be a row of it. Correct the number.`;
  const other = column === "entry_number" ? adviseOtherRow(cell) : "";
  const isAsciiOnly = column === "entry_number" && other === "";
  const found =
    cell === "" || PRIVATE_COLUMNS.has(column) ? "" : `Found: "${showHidden(excerpt(cell), isAsciiOnly)}".`;
  const first = duplicateOfLine === undefined ? "" : `The first one is on line ${duplicateOfLine}.`;
  // No-break spaces are dropped from an amount.
  const isAmount = code === "AMOUNT_NOT_NUMERIC";
  const advice =
    (isAmount && adviseAmount(cell)) || other || adviseHidden(cell, isAsciiOnly) || advise(error);
  return [ROW_ERROR_MESSAGES[code], advice, first, found].filter(Boolean).join(" ");
}

/** What the cell seems to be, and what to write in its place; "" if that is not clear. */
function advise({ code, column, cell }: RawRowError): string {
  if (column !== "entry_number" && isNoValue(cell))
    return "It stands for no value: leave the cell blank if the column is optional.";
  if (/^['’]./.test(cell))
    return "It begins with an apostrophe, which marks text in a spreadsheet: remove it.";
  if (/^".*"$/.test(cell))
    return "It has its quotes in it, because a space stands before them: remove the space.";
  if (code === "DATE_FORMAT") return adviseDate(cell);
  if (code === "HTS_LENGTH" || code === "CHAPTER_99_FORMAT") return adviseTariffNumber(cell);
  if (code === "COUNTRY_UNKNOWN" || code === "ENTRY_TYPE_UNKNOWN") return adviseCode(cell);
  if (code === "ENTRY_VERSIONS_MIXED" && column === "hts_number")
    return "The same line has this tariff number with another duty.";
  if (code === "ENTRY_NUMBER_CHECK_DIGIT") return adviseCheckDigit(cell);
  if (code === "IMPORTER_NUMBER_FORMAT" && /^\d{9}$/.test(cell))
    return "It has nine digits and no dash: write NN-NNNNNNN if it is the number of an employer.";
  if (code === "IMPORTER_NUMBER_FORMAT" && normalizeImporterNumber(cell.toUpperCase()) !== null)
    return "It has small letters: write them in capitals.";
  const mayBeTotal = MISSING_IN_TOTALS.has(column) && code === "REQUIRED_FIELD_MISSING";
  if (mayBeTotal) return "Is it a total? Then remove the row.";
  if (column !== "entry_number") return "";
  return code === "ENTRY_NUMBER_LENGTH" ? adviseEntryNumber(cell) : "";
}

/** What a row is whose entry number shows that it is no entry; "" if it may be one. */
function adviseOtherRow(cell: string): string {
  if (isTotalsCell(cell)) return "It looks like a totals row: remove the row.";
  if (isNoteOfReport(cell))
    return "It looks like a note of the report: remove the row, and look whether the export has all entries.";
  return "";
}

const REPEATED_HEADINGS = "The row repeats the headings, as when two files are pasted together: remove it.";

/** Whether the cell of an entry number is its heading. All other cells of the row are then headings, too. */
const isRepeatedHeading = ({ cell, column }: RawRowError): boolean =>
  column === "entry_number" && findColumn(cell)?.name === "entry_number";

/** Any of the digits may be the wrong one, so that this is no order to replace the last. */
function adviseCheckDigit(cell: string): string {
  const number = normalizeEntryNumber(cell.replaceAll("-", ""));
  return isWellFormed(number)
    ? `For these digits, ${computeCheckDigit(number)} is right, not ${number.at(-1)}.`
    : "";
}

/** At most 40 characters of the cell, without social security numbers. */
function excerpt(cell: string): string {
  const characters = [...maskSocialSecurityNumbers(cell.slice(0, MAX_EXCERPT_LENGTH * 4))];
  return characters.length > MAX_EXCERPT_LENGTH
    ? `${characters.slice(0, MAX_EXCERPT_LENGTH - 1).join("")}…`
    : characters.join("");
}
