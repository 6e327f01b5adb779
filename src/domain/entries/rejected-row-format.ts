import { escapeFormula, quoteCsvCell } from "../text.ts";
import { COLUMNS, normaliseHeader } from "./columns.ts";
import type { CsvRecord } from "./csv/csv-record.ts";
import type { RowError } from "./entry.ts";
import { unwrapTextForm } from "./rules/row-reader.ts";

const KNOWN_HEADERS: ReadonlySet<string> = new Set(COLUMNS.flatMap(({ headers }) => headers));

const ADDED_COLUMNS = ["line", "codes", "reasons"] as const;

/** The reason of a row without an error, whose entry has one in another row. */
const OTHER_ROW = "This row has no error of its own: another row of its entry has.";

/**
 * Formats rejected rows for the importer: the cells of the file, then line, codes and reasons. A cell that a spreadsheet
 * would run as a formula gets a `'`; a known one is judged without its text form `="…"` (diligence-model §1).
 */
export class RejectedRowFormat {
  readonly #headings: readonly string[];
  readonly #isKnown: readonly boolean[];
  readonly #headingOf: ReadonlyMap<string, string>;

  /** @param cells the header record of the file */
  constructor(cells: readonly string[]) {
    this.#headings = cells;
    const names = cells.map(normaliseHeader);
    this.#isKnown = names.map((name) => KNOWN_HEADERS.has(name));
    this.#headingOf = new Map(
      COLUMNS.flatMap(({ name, headers }) => {
        const header = headers.find((candidate) => names.includes(candidate));
        return header === undefined ? [] : [[name, cells[names.indexOf(header)]?.trim() ?? name]];
      }),
    );
  }

  header(): string {
    const taken = new Set(this.#headings.map((heading) => heading.trim()));
    const added = ADDED_COLUMNS.map((name) => {
      let free: string = name;
      for (let copy = 2; taken.has(free); copy += 1) free = `${name} (${copy})`;
      return free;
    });
    return formatLine([...this.#headings.map(escapeFormula), ...added]);
  }

  row(record: CsvRecord, line: number, errors: readonly RowError[]): string {
    const cells = record.cellTexts().map((cell, index) => this.#escapeCell(cell, index));
    const codes = errors.map(({ code }) => code).join(";");
    const reasons = errors.map(({ column, detail }) => `${this.#headingOf.get(column) ?? column}: ${detail}`);
    return formatLine([
      ...cells,
      String(line),
      codes,
      escapeFormula(reasons.length === 0 ? OTHER_ROW : reasons.join(" ")),
    ]);
  }

  #escapeCell(cell: string, index: number): string {
    const shown = this.#isKnown[index] === true ? unwrapTextForm(cell.trim()) : cell;
    return escapeFormula(shown) === shown ? cell : `'${cell}`;
  }
}

const formatLine = (cells: readonly string[]): string => `${cells.map(quoteCsvCell).join(",")}\r\n`;
