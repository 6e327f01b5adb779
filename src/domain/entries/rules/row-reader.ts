import { AMOUNT_COLUMNS, type ColumnName } from "../columns.ts";
import { trimCell, unwrapTextForm } from "../csv/cell-text.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import { CsvCell } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { FileWarning } from "../file-warnings.ts";
import type { Header, LocatedColumn } from "../header.ts";
import { type CellRule, createCellRules, type DateOrders, type DecimalSigns } from "./cell-rules.ts";
import { warnAboutDateOrders } from "./date-orders.ts";
import { warnAboutDecimalSigns } from "./decimal-signs.ts";
import { checkRow, Row } from "./row.ts";
import type { RowErrorCode } from "./row-error-messages.ts";

interface ColumnRule extends Pick<LocatedColumn, "name" | "bit" | "index" | "isRequired"> {
  readonly rule: CellRule;
}

/** 1 for units that neither white space, a wrapped cell nor a formula starts or ends with. */
const PLAIN_EDGES = Uint8Array.from({ length: 0x7f }, (_, unit) =>
  unit > 0x20 && !"=+@".includes(String.fromCharCode(unit)) ? 1 : 0,
);

const EQUALS = 0x3d;
const PLUS = 0x2b;
const AT = 0x40;

export class RowReader {
  readonly #columns: readonly ColumnRule[];
  readonly #asOf: Day;
  readonly #amounts = new Float64Array(AMOUNT_COLUMNS.length);
  readonly #rawCell = new CsvCell();
  readonly #rewrittenCell = new CsvCell();

  readonly #dateOrders: DateOrders = new Map();
  readonly #decimalSigns: DecimalSigns = new Map();
  readonly #header: Header;

  constructor(header: Header, asOf: Day) {
    const rules = createCellRules(this.#dateOrders, this.#decimalSigns);
    this.#asOf = asOf;
    this.#header = header;
    // Not a spread: with one, the loop over the cells of a million rows takes a tenth longer.
    this.#columns = header.columns.map(({ name, bit, index, isRequired }) => ({
      name,
      bit,
      index,
      isRequired,
      rule: rules[name],
    }));
  }

  /** About the cells of all rows; complete after the last one. */
  get fileWarnings(): readonly FileWarning[] {
    const { columns, layout } = this.#header;
    return [
      ...warnAboutDateOrders(this.#dateOrders, columns, layout),
      ...warnAboutDecimalSigns(this.#decimalSigns, columns),
    ];
  }

  /** The amounts of the row are valid until the next call. */
  read(record: CsvRecord, line: number): Row {
    // Not fill: to call it takes longer than ten numbers.
    for (let index = 0; index < AMOUNT_COLUMNS.length; index += 1) this.#amounts[index] = 0;
    const row = new Row(line, this.#amounts);
    this.#rawCell.setRecord(record);
    for (const column of this.#columns) this.#readColumn(column, record, row);
    checkRow(row, this.#asOf);
    return row;
  }

  #readColumn(column: ColumnRule, record: CsvRecord, row: Row): void {
    const { index } = column;
    const cell = this.#rawCell;
    const { units } = cell;
    const start = record.starts[index] ?? 0;
    const end = record.ends[index] ?? 0;
    const isPlain = PLAIN_EDGES[units[start] ?? 0] === 1 && PLAIN_EDGES[units[end - 1] ?? 0] === 1;
    if (isPlain && start !== end && !record.escaped[index]) {
      cell.start = start;
      cell.end = end;
      storeResult(column, column.rule(cell, row), cell, row);
      return;
    }
    const rewritten = start === end ? null : this.#rewriteCell(record.cellText(index));
    if (rewritten !== null) readCell(column, rewritten, row);
    else if (column.isRequired) row.addError("REQUIRED_FIELD_MISSING", column.name, "");
  }

  /** Returns null for a blank cell. */
  #rewriteCell(raw: string): CsvCell | null {
    const trimmed = trimCell(raw);
    const text = unwrapTextForm(trimmed);
    if (text === "") return null;
    this.#rewrittenCell.setText(text, text !== trimmed);
    return this.#rewrittenCell;
  }
}

function readCell(column: ColumnRule, cell: CsvCell, row: Row): void {
  const first = cell.unitAt(0);
  const isFormula = first === EQUALS || first === PLUS || first === AT;
  const error = isFormula ? rejectFormula(column.name, cell, row) : column.rule(cell, row);
  storeResult(column, error, cell, row);
}

function storeResult({ name, bit }: ColumnRule, error: RowErrorCode | null, cell: CsvCell, row: Row): void {
  if (error === null) {
    row.parsedColumns |= bit;
    return;
  }
  row.invalidColumns |= bit;
  row.addError(error, name, cell.toString());
}

/** Replaces the rule of the column. Rows of one entry still have the same entry number. */
function rejectFormula(name: ColumnName, cell: CsvCell, row: Row): "FORMULA_INJECTION" {
  if (name === "entry_number") row.entryNumber = cell.toString();
  return "FORMULA_INJECTION";
}
