import { Cell } from "./cell.ts";
import { type CellRule, cellRules } from "./cell-rules.ts";
import type { ColumnName } from "./columns.ts";
import type { CsvRecord } from "./csv-record.ts";
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
  /** A cell where it stands in the record, and one that is rewritten first. */
  readonly #standing = new Cell();
  readonly #rewritten = new Cell();

  constructor(header: Header, asOf: Day) {
    const rules = cellRules();
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
  read(record: CsvRecord, line: number): Row {
    const row = this.#row;
    row.reset(line);
    this.#standing.enter(record);
    for (const placed of this.#rules) {
      const cell = this.#cell(record, placed.index);
      if (cell !== null) readCell(placed, cell, row);
      else if (placed.required) row.fail("REQUIRED_FIELD_MISSING", placed.name, "");
    }
    checkRow(row, this.#asOf);
    return row;
  }

  /** Null when it is blank. */
  #cell(record: CsvRecord, index: number): Cell | null {
    const cell = this.#standing;
    cell.start = record.starts[index] ?? 0;
    cell.end = record.ends[index] ?? 0;
    if (cell.start === cell.end) return null;
    const edges = isPlain(cell.units[cell.start]) && isPlain(cell.units[cell.end - 1]);
    return edges && record.escaped[index] === false ? cell : this.#rewrite(record.cell(index));
  }

  #rewrite(raw: string): Cell | null {
    const text = unwrap(raw.trim());
    if (text === "") return null;
    this.#rewritten.write(text, text !== raw);
    return this.#rewritten;
  }
}

function readCell(placed: PlacedRule, cell: Cell, row: Row): void {
  const first = cell.unit(0);
  const fault =
    first === EQUALS || first === PLUS || first === AT
      ? formulaCell(placed.name, cell, row)
      : placed.rule(cell, row);
  if (fault === null) {
    row.parsed |= placed.bit;
    return;
  }
  row.unreadable |= placed.bit;
  row.fail(fault, placed.name, cell.toString());
}

/** A formula replaces the column's own check, but rows of one entry still find each other. */
function formulaCell(name: ColumnName, cell: Cell, row: Row): "FORMULA_INJECTION" {
  if (name === "entry_number") row.entryNumber = cell.toString();
  return "FORMULA_INJECTION";
}

/** False for what white space or a wrapped cell may start or end with. */
function isPlain(unit: number | undefined): boolean {
  return unit !== undefined && unit > 0x20 && unit <= 0x7e && unit !== EQUALS;
}

/** Excel's text form `="…"`: what stands inside, when it is one text and no formula around texts. */
function unwrap(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return cell;
  const inner = cell.slice(2, -1);
  const text = inner.replaceAll('""', "");
  return text.includes('"') ? cell : inner.replaceAll('""', '"').trim();
}
