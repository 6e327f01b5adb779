import { type CellRule, cellRules } from "./cell-rules.ts";
import type { ColumnName } from "./columns.ts";
import type { Day } from "./dates.ts";
import type { Header } from "./header.ts";
import { Row } from "./row.ts";
import { checkRow } from "./row-rules.ts";

interface PlacedRule {
  readonly name: ColumnName;
  readonly bit: number;
  readonly index: number;
  readonly required: boolean;
  readonly rule: CellRule;
}

const EQUALS = 0x3d;
const PLUS = 0x2b;
const AT = 0x40;

/** Reads the known cells of one record after another by their rules. */
export class RowReader {
  readonly #rules: readonly PlacedRule[];
  readonly #asOf: Day;
  readonly #row = new Row();

  constructor(header: Header, asOf: Day) {
    const rules = cellRules(asOf);
    this.#asOf = asOf;
    this.#rules = header.columns.map(({ column, index, required }) => ({
      name: column.name,
      bit: column.bit,
      index,
      required,
      rule: rules[column.name],
    }));
  }

  /** The same Row every time, valid until the next call. */
  read(cells: readonly string[], line: number): Row {
    const row = this.#row;
    row.reset(line);
    for (const placed of this.#rules) readCell(placed, cells[placed.index] ?? "", row);
    checkRow(row, this.#asOf);
    return row;
  }
}

function readCell(placed: PlacedRule, raw: string, row: Row): void {
  const cell = needsTrim(raw) ? unwrap(raw.trim()) : raw;
  if (cell === "") {
    if (placed.required) row.fail("REQUIRED_FIELD_MISSING", placed.name, "");
    return;
  }
  const first = cell.charCodeAt(0);
  const fault =
    first === EQUALS || first === PLUS || first === AT
      ? formulaCell(placed.name, cell, row)
      : placed.rule(cell, row, cell !== raw);
  if (fault === null) row.parsed |= placed.bit;
  else row.fail(fault, placed.name, cell);
}

/** A formula replaces the column's own check, but rows of one entry still find each other. */
function formulaCell(name: ColumnName, cell: string, row: Row): "FORMULA_INJECTION" {
  if (name === "entry_number") row.entryNumber = cell;
  return "FORMULA_INJECTION";
}

/** True when the cell may start or end with white space, or be wrapped. */
function needsTrim(raw: string): boolean {
  const first = raw.charCodeAt(0);
  const last = raw.charCodeAt(raw.length - 1);
  return first <= 0x20 || last <= 0x20 || first > 0x7e || last > 0x7e || first === EQUALS;
}

/** Excel's text form `="…"`: what stands inside, when it is one text and no formula around texts. */
function unwrap(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return cell;
  const inner = cell.slice(2, -1);
  const text = inner.replaceAll('""', "");
  return text.includes('"') ? cell : inner.replaceAll('""', '"').trim();
}
