import { formatCount } from "../../numbers.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";

/**
 * Finds a Line Duty Amount that is the duty of the whole line, in each of its tariff rows, which are added up (diligence-model §1).
 * It compares neighbours: the report has the rows of a line together.
 */
export class LineDuties {
  readonly #heading: string;
  readonly #repeated = new LineList();
  #hasDifferent = false;
  #last: { group: number; entryLine: Row["entryLine"]; cents: number } | null = null;

  constructor(heading: string) {
    this.#heading = heading;
  }

  add(group: number, row: Row): void {
    const { entryLine, line } = row;
    const cents = row.amount(AMOUNT_INDEX.line_duty);
    if (entryLine !== null && this.#last?.entryLine === entryLine && this.#last.group === group) {
      if (cents !== this.#last.cents) this.#hasDifferent = true;
      else if (cents > 0) this.#repeated.add(line);
    }
    this.#last = { group, entryLine, cents };
  }

  fileWarnings(): FileWarning[] {
    if (this.#hasDifferent) return [];
    const rows = this.#repeated.count;
    const detail = `Each tariff row of a line has the same "${this.#heading}", as the duty of the whole line: ${formatCount(rows, "row repeats", "rows repeat")} it, on ${this.#repeated}, and it is added up. Export Line Tariff Duty Amount instead.`;
    return this.#repeated.warn("LINE_DUTY_REPEATED", "stop", detail, { columns: [this.#heading], rows });
  }
}
