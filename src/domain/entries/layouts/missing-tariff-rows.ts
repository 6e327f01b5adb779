import type { FileWarning } from "../file-warnings.ts";
import type { Row } from "../rules/row.ts";

/** Higher ordinals are rare in one line, and a numbering of the whole file has them once each. */
const MAX_ORDINAL = 9;

/**
 * Finds lines that lack one of their tariff rows. Whether the ordinals count the rows of a line, an entry or the file, from 0 or
 * 1: each that has one has the one before it, so that no ordinal stands in fewer rows than the next one.
 */
export class MissingTariffRows {
  readonly #rows = new Uint32Array(MAX_ORDINAL + 1);

  add({ tariffOrdinal }: Row): void {
    if (typeof tariffOrdinal !== "number" || tariffOrdinal > MAX_ORDINAL || tariffOrdinal % 1 !== 0) return;
    this.#rows[tariffOrdinal] = (this.#rows[tariffOrdinal] ?? 0) + 1;
  }

  /** Complete after the last row. */
  fileWarnings(): FileWarning[] {
    const first = this.#rows[0] === 0 ? 1 : 0;
    for (let ordinal = first; ordinal < MAX_ORDINAL; ordinal += 1) {
      const [count = 0, next = 0] = this.#rows.subarray(ordinal, ordinal + 2);
      // One such row may be the first of a part of a file whose rows are numbered.
      if (count >= next || next === 1) continue;
      const detail = `The tariff ordinal ${ordinal + 1} stands in ${next} rows, and ${ordinal} in ${count}, so that ${next - count} or more tariff rows are missing. Look whether a filter of the report, or of a spreadsheet, left them out: their duty is not counted.`;
      return [{ code: "TARIFF_ROWS_ABSENT", severity: "warn", detail, rows: next - count }];
    }
    return [];
  }
}
