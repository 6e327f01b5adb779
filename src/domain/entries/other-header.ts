import { AMOUNT_COLUMNS, type ColumnName, findColumn, isDutyOfLine } from "./columns.ts";
import type { Header } from "./header.ts";

/** So many headings that the model reads make a line look like the header. */
export const MIN_HEADINGS = 3;

/** An entry has digits, so that fewer known headings are enough beside others. */
const MIN_HEADINGS_WITHOUT_DIGITS = 2;

export const isAmountColumn = (name: ColumnName): boolean =>
  (AMOUNT_COLUMNS as readonly ColumnName[]).includes(name);

/** Besides amounts and dates, the columns whose cells have digits. */
const NUMBERS: readonly ColumnName[] = ["entry_number", "importer_number", "hts_number"];

const isOfDigits = (name: ColumnName): boolean =>
  NUMBERS.includes(name) || name.endsWith("_date") || isAmountColumn(name);

/**
 * Whether a row has the headings of another export, with other columns or in another order.
 * @param isFirst a first row of words may explain the headings
 */
export function hasOtherHeadings(cells: readonly string[], header: Header, isFirst: boolean): boolean {
  const names = cells.map((cell) => findColumn(cell)?.name);
  const least = cells.some(hasDigit) ? MIN_HEADINGS : MIN_HEADINGS_WITHOUT_DIGITS;
  if (names.filter(Boolean).length < least) return !isFirst && hasOnlyWords(cells, header);
  return !header.columns.every(
    ({ index, name, heading }) =>
      names[index] === name && isDutyOfLine(cells[index] ?? "") === isDutyOfLine(heading),
  );
}

const hasDigit = (cell: string): boolean => /\d/.test(cell);

/** Whether a row has different words, also where the columns have numbers and dates. */
function hasOnlyWords(cells: readonly string[], { columns }: Header): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return (
    new Set(filled).size === filled.length &&
    !filled.some(hasDigit) &&
    columns.every(({ index, name }) => !isOfDigits(name) || /\p{L}/u.test(cells[index] ?? ""))
  );
}
