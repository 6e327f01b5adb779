import { formatCount } from "../../numbers.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { isIeepa } from "../rules/tariff-number.ts";

const isListedIeepa = (number: string): boolean => isIeepa(number.replaceAll(".", ""));

/**
 * Finds a file with one row for each line, which lists the IEEPA numbers instead of giving each a row with its duty. All duty is
 * then base duty (diligence-model §1), and the claim is 0.
 */
export class IeepaRows {
  readonly #listing = new LineList();
  #hasRow = false;

  add(row: Row): void {
    this.#hasRow ||= row.htsNumber !== null && isIeepa(row.htsNumber);
    if (this.#hasRow || row.amount(AMOUNT_INDEX.line_duty) === 0) return;
    if (row.chapter99Numbers.some(isListedIeepa)) this.#listing.add(row.line);
  }

  fileWarnings(): FileWarning[] {
    const { count: rows, first: lines } = this.#listing;
    if (this.#hasRow || rows === 0) return [];
    const detail = `${formatCount(rows, "row lists", "rows list")} a number of an IEEPA tariff, on ${this.#listing}, and no row has the duty of one, so that all duty counts as base duty. Export one row for each tariff number.`;
    return [{ code: "IEEPA_ROWS_ABSENT", severity: "warn", detail, rows, lines }];
  }
}
