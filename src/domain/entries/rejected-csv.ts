import { escapeFormula, quoteDelimitedCell } from "../text.ts";
import { COLUMNS, isKnownHeader, normaliseHeader } from "./columns.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import { type FileMapping, NO_MAPPING } from "./mapping/file-mapping.ts";
import { unwrapTextForm } from "./rules/row-reader.ts";

/** Why a row is rejected. A `RowError` is one; a service may have other codes. */
export interface RowReason {
  readonly code: string;
  /** In the model, or the heading of the file that was sent; "" if there is none. */
  readonly column: string;
  readonly detail: string;
}

const ADDED_COLUMNS = ["line", "codes", "reasons"] as const;

/** The reason of a row without an error, whose entry has one in another row. */
const OTHER_ROW = "This row has no error of its own: another row of its entry has.";

/** Rejected rows as CSV: their cells, then line, codes and reasons. A cell that would run as a formula gets a `'`. */
export class RejectedCsv {
  rowCount = 0;
  readonly #mapping: FileMapping;
  #text: string[] = [];
  #isKnown: readonly boolean[] = [];
  #headingOf: ReadonlyMap<string, string> = new Map();

  /** @param mapping the rows come from a file that was mapped: they get its headings and its delimiter back */
  constructor(mapping: FileMapping = NO_MAPPING) {
    this.#mapping = mapping;
  }

  /** @param cells the header record of the file */
  start(cells: readonly string[]): void {
    const names = cells.map(normaliseHeader);
    const original = new Map(
      Object.entries(this.#mapping.headings).map(([heading, name]) => [name, heading]),
    );
    const headings = cells.map((cell) => original.get(cell) ?? cell);
    this.#isKnown = cells.map(isKnownHeader);
    this.#headingOf = new Map([
      ...cells.map((cell, index) => [cell.trim(), headings[index]?.trim() ?? ""] as const),
      ...COLUMNS.flatMap(({ name, headers }) => {
        const header = headers.find((candidate) => names.includes(candidate));
        return header === undefined ? [] : [[name, headings[names.indexOf(header)]?.trim() ?? name] as const];
      }),
    ]);
    this.#addLine([...headings.map(escapeFormula), ...nameAddedColumns(headings)]);
  }

  add(record: CsvRecord, line: number, reasons: readonly RowReason[]): void {
    this.rowCount += 1;
    const cells = record.cellTexts().map((cell, index) => this.#escapeCell(cell, index));
    const codes = reasons.map(({ code }) => code).join(";");
    const sentences = reasons.map(({ column, detail }) =>
      column === "" ? detail : `${this.#headingOf.get(column) ?? column}: ${detail}`,
    );
    const text = reasons.length === 0 ? OTHER_ROW : sentences.join(" ");
    this.#addLine([...cells, String(line), escapeFormula(codes), escapeFormula(text)]);
  }

  /** Returns the lines since the last call. */
  take(): string {
    const text = this.#text.join("");
    this.#text = [];
    return text;
  }

  #addLine(cells: readonly string[]): void {
    const { delimiter } = this.#mapping;
    this.#text.push(`${cells.map((cell) => quoteDelimitedCell(cell, delimiter)).join(delimiter)}\r\n`);
  }

  #escapeCell(cell: string, index: number): string {
    const shown = this.#isKnown[index] === true ? unwrapTextForm(cell.trim()) : cell;
    return escapeFormula(shown) === shown ? cell : `'${cell}`;
  }
}

/** A name that the file has already gets a number. */
function nameAddedColumns(cells: readonly string[]): string[] {
  const taken = new Set(cells.map((cell) => cell.trim()));
  return ADDED_COLUMNS.map((name) => {
    let free: string = name;
    for (let copy = 2; taken.has(free); copy += 1) free = `${name} (${copy})`;
    return free;
  });
}
