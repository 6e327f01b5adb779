import type { ColumnName } from "./columns.ts";
import { foldText, trimCell, unwrapTextForm } from "./csv/cell-text.ts";
import { CsvCell, type CsvRecord } from "./csv/csv-record.ts";
import type { FileWarning } from "./file-warnings.ts";
import type { TwinColumn } from "./header.ts";
import { createCellRules } from "./rules/cell-rules.ts";
import { DateOrders } from "./rules/date-orders.ts";
import { Row } from "./rules/row.ts";

/** Finds rows in which two headings of one column have different values (diligence-model §1, `COLUMN_TWICE`). */
export class TwinColumns {
  readonly #twins: readonly TwinColumn[];
  readonly #firstLines = new Map<TwinColumn, number>();
  readonly #rules = createCellRules(new DateOrders());
  readonly #row = new Row();
  readonly #cell = new CsvCell();

  constructor(twins: readonly TwinColumn[]) {
    this.#twins = twins;
  }

  check(record: CsvRecord, line: number): void {
    for (const twin of this.#twins) {
      if (this.#firstLines.has(twin)) continue;
      const { column, index } = twin;
      const [one, other] = [record.cellText(column.index), record.cellText(index)];
      if (one === other || this.#readMeaning(column.name, one) === this.#readMeaning(column.name, other))
        continue;
      this.#firstLines.set(twin, line);
    }
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    return [...this.#firstLines].map(([{ column, heading }, line]) => ({
      code: "COLUMN_TWICE",
      severity: "warn",
      detail: `"${column.heading}" and "${heading}" are names of one column, ${column.name}, and differ on line ${line}. Only "${column.heading}" is read. Remove the column that is not meant.`,
      columns: [column.heading, heading],
      lines: [line],
    }));
  }

  #readMeaning(name: ColumnName, raw: string): string {
    const text = unwrapTextForm(trimCell(raw));
    if (text === "") return "";
    this.#row.reset(0);
    this.#cell.setText(text, false);
    if (this.#rules[name](this.#cell, this.#row) !== null) return foldText(text);
    this.#row.warningMask = 0;
    return JSON.stringify(this.#row);
  }
}
