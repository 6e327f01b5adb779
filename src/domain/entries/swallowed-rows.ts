import { formatCount } from "../numbers.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";
import { isEntryNumber } from "./rules/entry-number.ts";

const LINE_END = /\r\n|[\r\n]/;

/** Finds cells in quotes that hold rows, because a quote is missing or too many (diligence-model §1, `CELL_HOLDS_ROWS`). */
export class SwallowedRows {
  readonly #lines = new LineList();
  #firstDetail = "";

  /** @param line the first one of the record */
  check(record: CsvRecord, line: number, headings: readonly string[]): void {
    for (let index = 0; index < record.count; index += 1) {
      if (!record.isQuoted(index) || !holdsRows(record.cellText(index), index, headings.length)) continue;
      this.#lines.add(line);
      if (this.#lines.count > 1) continue;
      this.#firstDetail = `The cell "${headings[index] || `column ${index + 1}`}" of the row on line ${line} holds lines that look like rows, to line ${line + record.lineCount - 1}. They are not read. Look on these lines for a quote that is missing or too many.`;
    }
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const cells = formatCount(this.#lines.count, "cell");
    const detail = `${this.#firstDetail} In all: ${cells}, on ${this.#lines}.`;
    return this.#lines.warn("CELL_HOLDS_ROWS", "stop", detail);
  }
}

function holdsRows(cell: string, cellsBefore: number, columns: number): boolean {
  const [first = "", ...others] = cell.split(LINE_END);
  const last = others.at(-1);
  if (last === undefined) return false;
  const delimitersAfter = columns - 1 - cellsBefore;
  const isBorder = (line: string) => countDelimiters(line) === cellsBefore;
  if (countDelimiters(first) === delimitersAfter && isBorder(last)) return true;
  // A name with a comma, whose quotes are the fault, makes more of them.
  const isWide = countDelimiters(first) >= delimitersAfter && countDelimiters(last) >= cellsBefore;
  const wholeRows = others.slice(0, -1).filter((line) => countDelimiters(line) >= columns - 1);
  if (isWide && !isSentence(first) && !isSentence(last) && [first, ...wholeRows, last].some(hasCellsOfRow))
    return true;
  return others.some(
    (line, index) =>
      isEntryNumber(readFirstCell(line)) &&
      (countDelimiters(line) === columns - 1 || (index === others.length - 1 && isBorder(line))),
  );
}

/** Whether a space follows most commas. */
const isSentence = (line: string): boolean => (line.split(", ").length - 1) * 2 > countDelimiters(line);

/** Whether a line has an entry number or a date as a cell, and is no list of them. */
function hasCellsOfRow(line: string): boolean {
  const cells = line.split(",").map((cell) => cell.replace(/["=]/g, ""));
  return [isEntryNumber, isDate].some((isOfRow) => {
    const found = cells.filter((cell) => !cell.startsWith(" ") && isOfRow(cell)).length;
    return found > 0 && found * 2 <= cells.length;
  });
}

const isDate = (cell: string): boolean => /^(?:\d{4}-\d\d-\d\d|\d{1,2}\/\d{1,2}\/\d{4})$/.test(cell);

const countDelimiters = (line: string): number => line.split(",").length - 1;

/** Without quotes and the text form of spreadsheets. */
const readFirstCell = (line: string): string => line.split(",", 1)[0]?.replace(/["=]/g, "") ?? "";
