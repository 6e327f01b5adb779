import { type FileWarning, LineList } from "../file-warnings.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { isListedIeepa } from "../rules/tariff-number.ts";
import { type GroupTable, SUM } from "./group-table.ts";

/**
 * Finds entries with one row for each line, which lists the IEEPA numbers instead of giving each a row with its duty. All their
 * duty is then base duty (diligence-model §1), and their claim is 0.
 */
export class MissingIeepaRows {
  readonly #table: GroupTable;
  /** By group, the line of the first row with such a list. */
  readonly #firstListings = new Map<number, number>();

  constructor(table: GroupTable) {
    this.#table = table;
  }

  add(group: number, row: Row): void {
    const hasListing = row.chapter99Numbers.some(isListedIeepa) && row.amount(AMOUNT_INDEX.line_duty) > 0;
    if (hasListing && !this.#firstListings.has(group)) this.#firstListings.set(group, row.line);
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const found = new LineList();
    for (const [group, line] of this.#firstListings)
      if (this.#table.sum(group, SUM.ieepaDuty) === 0) found.add(line);
    const detail = `On ${found}, the list of an entry has a number of an IEEPA tariff, and no row of the entry has its duty, so that all duty counts as base duty. Export one row for each tariff number.`;
    return found.warn("IEEPA_ROWS_ABSENT", "warn", detail, { entries: found.count });
  }
}
