import { formatCount } from "../../numbers.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";

/** The rows with a tariff number and no entry number, and their entries, which are not whole. */
export class RowsWithoutNumber {
  readonly #lines = new LineList();
  readonly #groups = new Set<number>();

  add(group: number, line: number): void {
    this.#lines.add(line);
    this.#groups.add(group);
  }

  warnings(): FileWarning[] {
    const { count, first: lines } = this.#lines;
    if (count === 0) return [];
    const rows = formatCount(count, "row has", "rows have");
    const detail = `${rows} a tariff number and no entry number, on ${this.#lines}: a report left it blank below the first row of an entry. In the report tool, fill down: show all duplicate values. In Excel, fill the blank cells of the column from above (Home, Find & Select, Go To Special, Blanks).`;
    return [
      { code: "ENTRY_ROWS_WITHOUT_NUMBER", severity: "stop", detail, entries: this.#groups.size, lines },
    ];
  }
}
