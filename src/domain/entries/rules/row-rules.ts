import { type AmountColumn, columnBit } from "../columns.ts";
import { type Day, formatDay } from "../dates.ts";
import { AMOUNT_INDEX, type Row } from "./row.ts";

/** The largest difference between the total and the sum of its parts. */
const TOLERANCE_CENTS = 100;

const PART_COLUMNS: readonly AmountColumn[] = [
  "base_duty_paid",
  "ieepa_duty_paid",
  "section_301_duty_paid",
  "section_232_duty_paid",
  "section_122_duty_paid",
  "mpf_paid",
  "hmf_paid",
];

const PART_INDEXES = PART_COLUMNS.map((column) => AMOUNT_INDEX[column]);

const ALL_AMOUNT_BITS = [...PART_COLUMNS, "total_paid" as const].reduce(
  (mask, name) => mask | columnBit(name),
  0,
);
const LIQUIDATION_DATE_BIT = columnBit("liquidation_date");

/** The rules of diligence-model §1 that compare several cells of a row. */
export function checkRow(row: Row, asOf: Day): void {
  checkEntryDate(row, asOf);
  checkLiquidation(row, asOf);
  checkTotal(row);
}

function checkEntryDate(row: Row, asOf: Day): void {
  if (row.entryDate === null || row.entryDate <= asOf) return;
  row.addError("DATE_IN_FUTURE", "entry_date", formatDay(row.entryDate));
}

function checkLiquidation(row: Row, asOf: Day): void {
  const date = row.liquidationDate;
  if (date === null) {
    // An invalid date has an error already.
    const isBlank = (row.invalidColumns & LIQUIDATION_DATE_BIT) === 0;
    if (row.liquidationStatus === "LIQUIDATED" && isBlank)
      row.addError("LIQUIDATION_DATE_MISSING", "liquidation_date", "");
    return;
  }
  if (row.entryDate !== null && date < row.entryDate) {
    row.addError("LIQUIDATION_BEFORE_ENTRY", "liquidation_date", "");
  }
  if (row.liquidationStatus === "NOT_LIQUIDATED" && date <= asOf) {
    row.addError("LIQUIDATION_STATUS_CONFLICT", "liquidation_date", "");
  }
}

function checkTotal(row: Row): void {
  if ((row.parsedColumns & ALL_AMOUNT_BITS) !== ALL_AMOUNT_BITS) return;
  let sum = 0;
  for (const part of PART_INDEXES) sum += row.amount(part);
  if (Math.abs(sum - row.amount(AMOUNT_INDEX.total_paid)) > TOLERANCE_CENTS)
    row.addError("TOTAL_MISMATCH", "total_paid", "");
}
