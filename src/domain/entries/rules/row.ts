import { AMOUNT_COLUMNS, type AmountColumn, type ColumnName, columnBit } from "../columns.ts";
import { type Day, formatDay } from "../dates.ts";
import type { LiquidationStatus, ProtestStatus } from "./code-lists.ts";
import type { RawRowError, RowErrorCode } from "./row-error-messages.ts";
import { WARNING_BIT } from "./warnings.ts";

const NO_CHAPTER_99_NUMBERS: readonly string[] = Object.freeze([]);

export const AMOUNT_INDEX = Object.fromEntries(
  AMOUNT_COLUMNS.map((column, index) => [column, index]),
) as Readonly<Record<AmountColumn, number>>;

/** The row that is being read. Amounts are cents, 0 when blank. */
export class Row {
  /** The line of the file where it begins. */
  readonly line: number;
  /** Normalized, also when it is invalid; "" when blank. */
  entryNumber = "";
  entryTypeCode: string | null = null;
  importerNumber: string | null = null;
  importerName: string | null = null;
  portOfEntryCode: string | null = null;
  entryDate: Day | null = null;
  entrySummaryDate: Day | null = null;
  countryOfOriginCode: string | null = null;
  /** The number of the line in the entry summary. A text that is no number stays a text. */
  entryLine: number | string | null = null;
  tariffOrdinal: number | string | null = null;
  /** The version of the entry summary. */
  version: number | string | null = null;
  htsNumber: string | null = null;
  chapter99Numbers = NO_CHAPTER_99_NUMBERS;
  readonly amounts: Float64Array;
  liquidationStatus: LiquidationStatus | null = null;
  liquidationDate: Day | null = null;
  reconciliation = false;
  drawback = false;
  protestNumber: string | null = null;
  protestStatus: ProtestStatus | null = null;
  protestDecisionDate: Day | null = null;
  warningMask = 0;
  /** Bits of the columns that were read without error. Blank columns have none. */
  parsedColumns = 0;
  /** Bits of the columns whose cell has no valid value. */
  invalidColumns = 0;
  errors: RawRowError[] = [];

  /** @param amounts zeros, each at its {@link AMOUNT_INDEX} */
  constructor(line: number, amounts: Float64Array) {
    this.line = line;
    this.amounts = amounts;
  }

  amount(index: number): number {
    return this.amounts[index] ?? 0;
  }

  addError(
    code: RowErrorCode,
    column: ColumnName,
    cell: string,
    more?: Pick<RawRowError, "duplicateOfLine">,
  ): void {
    this.errors.push({ code, line: this.line, column, cell, ...more });
  }
}

/** Whether a spreadsheet wrote the entry number as 1.23E+10, so that digits are lost. */
export const hasScientificNumber = ({ errors }: Row): boolean =>
  errors.some(({ code }) => code === "ENTRY_NUMBER_SCIENTIFIC");

/** Whether a column has a cell in this row, also a faulty one. */
export const isFilled = ({ parsedColumns, invalidColumns }: Row, bit: number): boolean =>
  ((parsedColumns | invalidColumns) & bit) !== 0;

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
  checkEntryDates(row, asOf);
  checkLiquidation(row, asOf);
  checkAmounts(row);
}

/** An entry summary is due some days after the entry, so a longer time is a mistake. */
const MAX_DAYS_TO_SUMMARY = 60;

function checkEntryDates(row: Row, asOf: Day): void {
  const { entryDate, entrySummaryDate, protestDecisionDate: decision } = row;
  if (row.protestStatus === "DENIED" && decision !== null && decision > asOf)
    row.addError("DATE_IN_FUTURE", "protest_decision_date", formatDay(decision));
  if (entryDate === null) return;
  if (entryDate > asOf) row.addError("DATE_IN_FUTURE", "entry_date", formatDay(entryDate));
  if (entrySummaryDate === null) return;
  const days = entrySummaryDate - entryDate;
  if (days < 0 || days > MAX_DAYS_TO_SUMMARY) row.warningMask |= WARNING_BIT.SUMMARY_DATE_IMPLAUSIBLE;
}

/** Liquidations are posted before their date. */
const MAX_DAYS_TO_POSTED_LIQUIDATION = 31;

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
  if (row.liquidationStatus === "LIQUIDATED" && date > asOf + MAX_DAYS_TO_POSTED_LIQUIDATION) {
    row.addError("LIQUIDATION_DATE_IN_FUTURE", "liquidation_date", formatDay(date));
  }
}

const TOTAL_BIT = columnBit("total_paid");

/** 19 CFR 24.23(b) allows $651.50 for an entry in the fiscal year 2026, and somewhat more in each later year. */
const MAX_MPF_CENTS = 100_000;

function checkAmounts(row: Row): void {
  if (row.amount(AMOUNT_INDEX.mpf_paid) > MAX_MPF_CENTS) row.warningMask |= WARNING_BIT.MPF_ABOVE_MAXIMUM;
  if ((row.parsedColumns & TOTAL_BIT) === 0) return;
  const excess = row.amount(AMOUNT_INDEX.ieepa_duty_paid) - row.amount(AMOUNT_INDEX.total_paid);
  if (excess > TOLERANCE_CENTS) row.warningMask |= WARNING_BIT.DUTY_ABOVE_TOTAL;
  if ((row.parsedColumns & ALL_AMOUNT_BITS) !== ALL_AMOUNT_BITS) return;
  let sum = 0;
  for (const part of PART_INDEXES) sum += row.amount(part);
  if (Math.abs(sum - row.amount(AMOUNT_INDEX.total_paid)) > TOLERANCE_CENTS)
    row.addError("TOTAL_MISMATCH", "total_paid", "");
}
