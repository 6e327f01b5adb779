import type { AmountColumn, ColumnName } from "../columns.ts";
import { copyText } from "../csv/copy-text.ts";
import type { CsvCell } from "../csv/csv-cell.ts";
import type { Day } from "../dates.ts";
import { parseFormattedCents, parsePlainCents } from "./amount-cell.ts";
import { CellMemo } from "./cell-memo.ts";
import { findCountry, findEntryType, findLiquidationStatus, findProtestStatus } from "./code-lists.ts";
import { hasIsoFormat, parseIsoDate, parseUsDate } from "./date-cell.ts";
import { findEntryNumberError, isWellFormed, normaliseEntryNumber, removeDashes } from "./entry-number.ts";
import { normaliseImporterNumber } from "./importer-number.ts";
import { AMOUNT_INDEX, type Row } from "./row.ts";
import type { RowErrorCode } from "./row-error-messages.ts";
import { isDigits, isPlainHts, parseChapter99List, parseHts } from "./tariff-number.ts";
import { WARNING_BIT } from "./warnings.ts";

/** Reads one cell into the row. Returns the error of the cell or null. */
export type CellRule = (cell: CsvCell, row: Row) => RowErrorCode | null;

/** The rules of diligence-model §1 by column. Each file needs a set, because the rules remember its cells. */
export function createCellRules(): Readonly<Record<ColumnName, CellRule>> {
  return {
    ...createIdentityRules(),
    ...createDateRules(),
    ...createTariffRules(),
    ...createAmountRules(),
    ...createStatusRules(),
  };
}

function createIdentityRules() {
  const importerNumbers = new CellMemo(normaliseImporterNumber, 20);
  const names = new CellMemo(copyText, 200);
  const rules = {
    entry_number: createEntryNumberRule(),
    entry_type_code: readEntryType,
    importer_number(cell, row) {
      row.importerNumber = importerNumbers.get(cell);
      return row.importerNumber === null ? "IMPORTER_NUMBER_FORMAT" : null;
    },
    importer_name(cell, row) {
      row.importerName = names.get(cell);
      return null;
    },
    port_of_entry_code: readPortCode,
    mode_of_transport_code: acceptAnyText,
    country_of_origin_code(cell, row) {
      row.countryOfOriginCode = findCountry(cell) ?? null;
      return row.countryOfOriginCode === null ? "COUNTRY_UNKNOWN" : null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function createEntryNumberRule(): CellRule {
  // The rows of an es003 entry repeat its number, so the rule remembers the last one.
  let last = "";
  return (cell, row) => {
    if (cell.equals(last) && !cell.isRewritten) {
      row.entryNumber = last;
      return null;
    }
    const fault = readEntryNumber(cell, row);
    if (fault === null) last = row.entryNumber;
    return fault;
  };
}

function readEntryNumber(cell: CsvCell, row: Row): RowErrorCode | null {
  const dashless = removeDashes(cell);
  row.entryNumber = isWellFormed(dashless) ? dashless : normaliseEntryNumber(dashless);
  if (cell.isRewritten || dashless !== row.entryNumber) row.warningMask |= WARNING_BIT.ENTRY_NUMBER_REPAIRED;
  return findEntryNumberError(row.entryNumber);
}

function readEntryType(cell: CsvCell, row: Row): RowErrorCode | null {
  const oneDigit = cell.length === 1;
  row.entryTypeCode = findEntryType(cell) ?? null;
  if (row.entryTypeCode === null) return "ENTRY_TYPE_UNKNOWN";
  if (oneDigit) row.warningMask |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

function readPortCode(cell: CsvCell, row: Row): RowErrorCode | null {
  if ((cell.length !== 4 && cell.length !== 3) || !isDigits(cell)) return "PORT_CODE_FORMAT";
  row.portOfEntryCode = cell.length === 4 ? cell.toString() : `0${cell}`;
  if (cell.length === 3) row.warningMask |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

/** The rule of columns in which only formulas are wrong. */
function acceptAnyText(): null {
  return null;
}

function createDateRules() {
  const rules = {
    entry_date: createDateRule((row, day) => {
      row.entryDate = day;
    }),
    entry_summary_date: createDateRule((row, day) => {
      row.entrySummaryDate = day;
    }),
    liquidation_date: createDateRule((row, day) => {
      row.liquidationDate = day;
    }),
    protest_decision_date: createDateRule((row, day) => {
      row.protestDecisionDate = day;
    }),
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function createDateRule(store: (row: Row, day: Day) => void): CellRule {
  return (cell, row) => {
    const isIso = hasIsoFormat(cell);
    const day = isIso ? parseIsoDate(cell) : parseUsDate(cell);
    if (typeof day === "string") return day;
    if (!isIso) row.warningMask |= WARNING_BIT.DATE_US_FORMAT;
    store(row, day);
    return null;
  };
}

function createTariffRules() {
  const lists = new CellMemo(parseChapter99List, 100);
  const rules = {
    hts_number(cell, row) {
      row.htsNumber = parseHts(cell);
      if (row.htsNumber === null) return "HTS_LENGTH";
      if (!isPlainHts(cell)) row.warningMask |= WARNING_BIT.HTS_NORMALISED;
      return null;
    },
    line_description: acceptAnyText,
    chapter_99_numbers(cell, row) {
      const reading = lists.get(cell);
      if (!reading.isValid) return "CHAPTER_99_FORMAT";
      if (reading.wasNormalised) row.warningMask |= WARNING_BIT.HTS_NORMALISED;
      row.chapter99Numbers = reading.numbers;
      return null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function createAmountRules(): Record<AmountColumn, CellRule> {
  return {
    entered_value: createAmountRule("entered_value"),
    ieepa_duty_paid: createAmountRule("ieepa_duty_paid"),
    line_duty: createAmountRule("line_duty"),
    base_duty_paid: createAmountRule("base_duty_paid"),
    section_301_duty_paid: createAmountRule("section_301_duty_paid"),
    section_232_duty_paid: createAmountRule("section_232_duty_paid"),
    section_122_duty_paid: createAmountRule("section_122_duty_paid"),
    mpf_paid: createAmountRule("mpf_paid"),
    hmf_paid: createAmountRule("hmf_paid"),
    total_paid: createAmountRule("total_paid"),
  };
}

function createAmountRule(column: AmountColumn): CellRule {
  const index = AMOUNT_INDEX[column];
  return (cell, row) => {
    const plain = parsePlainCents(cell.units, cell.start, cell.end);
    if (plain !== -1) {
      row.amounts[index] = plain;
      return null;
    }
    const cents = parseFormattedCents(cell);
    if (typeof cents === "string") return cents;
    row.warningMask |= WARNING_BIT.AMOUNT_FORMATTED;
    row.amounts[index] = cents;
    return null;
  };
}

function createStatusRules() {
  const statuses = new CellMemo((word) => findLiquidationStatus(word) ?? null, 40);
  const rules = {
    liquidation_status(cell, row) {
      row.liquidationStatus = statuses.get(cell);
      return row.liquidationStatus === null ? "LIQUIDATION_STATUS_UNKNOWN" : null;
    },
    reconciliation_indicator(cell, row) {
      row.reconciliation = isYes(cell);
      return null;
    },
    drawback_indicator(cell, row) {
      row.drawback = isYes(cell);
      return null;
    },
    post_summary_correction_indicator: acceptAnyText,
    protest_number(cell, row) {
      row.protestNumber = cell.toString();
      return null;
    },
    protest_status(cell, row) {
      row.protestStatus = findProtestStatus(cell.toString()) ?? null;
      return row.protestStatus === null ? "PROTEST_STATUS_UNKNOWN" : null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

/** The first letter decides. Anything but Y is the default N. */
function isYes(cell: CsvCell): boolean {
  const first = cell.unitAt(0);
  return first === 0x59 || first === 0x79;
}
