import type { ColumnName } from "../columns.ts";
import { CsvCell } from "../csv/csv-cell.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { Header } from "../header.ts";
import { type CellRule, createCellRules } from "./cell-rules.ts";
import { Row } from "./row.ts";
import { checkRow } from "./row-rules.ts";

interface ColumnRule {
  readonly name: ColumnName;
  readonly bit: number;
  readonly index: number;
  readonly isRequired: boolean;
  readonly rule: CellRule;
}

const EQUALS = 0x3d;
const PLUS = 0x2b;
const AT = 0x40;

/** Reads the known cells of one record after another by their rules. */
export class RowReader {
  readonly #rules: readonly ColumnRule[];
  readonly #asOf: Day;
  readonly #row = new Row();
  /** A cell where it stands in the record, and one that is rewritten first. */
  readonly #rawCell = new CsvCell();
  readonly #rewrittenCell = new CsvCell();

  constructor(header: Header, asOf: Day) {
    const rules = createCellRules();
    this.#asOf = asOf;
    this.#rules = header.columns.map(({ column, index, isRequired }) => ({
      name: column.name,
      bit: column.bit,
      index,
      isRequired,
      rule: rules[column.name],
    }));
  }

  /** The same Row every time, valid until the next call. */
  read(record: CsvRecord, line: number): Row {
    const row = this.#row;
    row.reset(line);
    this.#rawCell.setRecord(record);
    for (const placed of this.#rules) {
      const cell = this.#locateCell(record, placed.index);
      if (cell !== null) readCell(placed, cell, row);
      else if (placed.isRequired) row.addError("REQUIRED_FIELD_MISSING", placed.name, "");
    }
    checkRow(row, this.#asOf);
    return row;
  }

  /** Null when it is blank. */
  #locateCell(record: CsvRecord, index: number): CsvCell | null {
    const cell = this.#rawCell;
    cell.start = record.starts[index] ?? 0;
    cell.end = record.ends[index] ?? 0;
    if (cell.start === cell.end) return null;
    const hasPlainEdges = isPlainEdge(cell.units[cell.start]) && isPlainEdge(cell.units[cell.end - 1]);
    return hasPlainEdges && record.escaped[index] === false
      ? cell
      : this.#rewriteCell(record.cellText(index));
  }

  #rewriteCell(raw: string): CsvCell | null {
    const text = unwrapTextForm(raw.trim());
    if (text === "") return null;
    this.#rewrittenCell.setText(text, text !== raw);
    return this.#rewrittenCell;
  }
}

function readCell(column: ColumnRule, cell: CsvCell, row: Row): void {
  const first = cell.unitAt(0);
  const fault =
    first === EQUALS || first === PLUS || first === AT
      ? rejectFormula(column.name, cell, row)
      : column.rule(cell, row);
  if (fault === null) {
    row.parsedColumns |= column.bit;
    return;
  }
  row.invalidColumns |= column.bit;
  row.addError(fault, column.name, cell.toString());
}

/** A formula replaces the column's own check, but rows of one entry still find each other. */
function rejectFormula(name: ColumnName, cell: CsvCell, row: Row): "FORMULA_INJECTION" {
  if (name === "entry_number") row.entryNumber = cell.toString();
  return "FORMULA_INJECTION";
}

/** False for what white space or a wrapped cell may start or end with. */
function isPlainEdge(unit: number | undefined): boolean {
  return unit !== undefined && unit > 0x20 && unit <= 0x7e && unit !== EQUALS;
}

/** Excel's text form `="…"`: what stands inside, when it is one text and no formula around texts. */
function unwrapTextForm(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return cell;
  const inner = cell.slice(2, -1);
  const text = inner.replaceAll('""', "");
  return text.includes('"') ? cell : inner.replaceAll('""', '"').trim();
}
