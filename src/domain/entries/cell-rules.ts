import type { Cell } from "./cell.ts";
import { CellMemo } from "./cell-memo.ts";
import { findCountry, findEntryType, findLiquidationStatus, findProtestStatus } from "./code-lists.ts";
import type { AmountColumn, ColumnName } from "./columns.ts";
import { isIsoShaped, readIsoDate, readUsDate } from "./date-cell.ts";
import type { Day } from "./dates.ts";
import type { RowErrorCode } from "./entry.ts";
import { entryNumberFault, isWellFormed, normaliseEntryNumber, withoutDashes } from "./entry-number.ts";
import { readImporterNumber } from "./importer-number.ts";
import { formattedCents, plainCents } from "./money.ts";
import { ownText } from "./own-text.ts";
import { AMOUNT, type Row } from "./row.ts";
import { isDigits, isHts, readChapter99List, readHts } from "./tariff-number.ts";
import { WARNING_BIT } from "./warnings.ts";

/** Reads one cell into the row. Answers what is wrong with it, or null. */
export type CellRule = (cell: Cell, row: Row) => RowErrorCode | null;

/** The rules of diligence-model §1 by column. Each call has memos of its own: one set a file. */
export function cellRules(): Readonly<Record<ColumnName, CellRule>> {
  return { ...identityRules(), ...dateRules(), ...tariffRules(), ...moneyRules(), ...statusRules() };
}

function identityRules() {
  const importerNumbers = new CellMemo(readImporterNumber, 20);
  const names = new CellMemo(ownText, 200);
  const rules = {
    entry_number: entryNumber(),
    entry_type_code: readEntryType,
    importer_number(cell, row) {
      row.importerNumber = importerNumbers.get(cell);
      return row.importerNumber === null ? "IMPORTER_NUMBER_FORMAT" : null;
    },
    importer_name(cell, row) {
      row.importerName = names.get(cell);
      return null;
    },
    port_of_entry_code: readPort,
    mode_of_transport_code: anyText,
    country_of_origin_code(cell, row) {
      row.countryOfOriginCode = findCountry(cell) ?? null;
      return row.countryOfOriginCode === null ? "COUNTRY_UNKNOWN" : null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function entryNumber(): CellRule {
  // The rows of an es003 entry repeat its number.
  let last = "";
  return (cell, row) => {
    if (cell.equals(last) && !cell.changed) {
      row.entryNumber = last;
      return null;
    }
    const fault = readEntryNumber(cell, row);
    if (fault === null) last = row.entryNumber;
    return fault;
  };
}

function readEntryNumber(cell: Cell, row: Row): RowErrorCode | null {
  const dashless = withoutDashes(cell);
  row.entryNumber = isWellFormed(dashless) ? dashless : normaliseEntryNumber(dashless);
  if (cell.changed || dashless !== row.entryNumber) row.warnings |= WARNING_BIT.ENTRY_NUMBER_REPAIRED;
  return entryNumberFault(row.entryNumber);
}

function readEntryType(cell: Cell, row: Row): RowErrorCode | null {
  const oneDigit = cell.length === 1;
  row.entryTypeCode = findEntryType(cell) ?? null;
  if (row.entryTypeCode === null) return "ENTRY_TYPE_UNKNOWN";
  if (oneDigit) row.warnings |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

function readPort(cell: Cell, row: Row): RowErrorCode | null {
  if ((cell.length !== 4 && cell.length !== 3) || !isDigits(cell)) return "PORT_CODE_FORMAT";
  row.portOfEntryCode = cell.length === 4 ? cell.toString() : `0${cell}`;
  if (cell.length === 3) row.warnings |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

/** Columns without a rule of their own: only a formula is refused. */
function anyText(): null {
  return null;
}

function dateRules() {
  const rules = {
    entry_date: date((row, day) => {
      row.entryDate = day;
    }),
    entry_summary_date: date((row, day) => {
      row.entrySummaryDate = day;
    }),
    liquidation_date: date((row, day) => {
      row.liquidationDate = day;
    }),
    protest_decision_date: date((row, day) => {
      row.protestDecisionDate = day;
    }),
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function date(keep: (row: Row, day: Day) => void): CellRule {
  return (cell, row) => {
    const iso = isIsoShaped(cell);
    const day = iso ? readIsoDate(cell) : readUsDate(cell);
    if (typeof day === "string") return day;
    if (!iso) row.warnings |= WARNING_BIT.DATE_US_FORMAT;
    keep(row, day);
    return null;
  };
}

function tariffRules() {
  const lists = new CellMemo(readChapter99List, 100);
  const rules = {
    hts_number(cell, row) {
      row.htsNumber = readHts(cell);
      if (row.htsNumber === null) return "HTS_LENGTH";
      if (!isHts(cell)) row.warnings |= WARNING_BIT.HTS_NORMALISED;
      return null;
    },
    line_description: anyText,
    chapter_99_numbers(cell, row) {
      const reading = lists.get(cell);
      if (!reading.ok) return "CHAPTER_99_FORMAT";
      if (reading.normalised) row.warnings |= WARNING_BIT.HTS_NORMALISED;
      row.chapter99Numbers = reading.numbers;
      return null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function moneyRules(): Record<AmountColumn, CellRule> {
  return {
    entered_value: money("entered_value"),
    ieepa_duty_paid: money("ieepa_duty_paid"),
    line_duty: money("line_duty"),
    base_duty_paid: money("base_duty_paid"),
    section_301_duty_paid: money("section_301_duty_paid"),
    section_232_duty_paid: money("section_232_duty_paid"),
    section_122_duty_paid: money("section_122_duty_paid"),
    mpf_paid: money("mpf_paid"),
    hmf_paid: money("hmf_paid"),
    total_paid: money("total_paid"),
  };
}

function money(column: AmountColumn): CellRule {
  const index = AMOUNT[column];
  return (cell, row) => {
    const plain = plainCents(cell.units, cell.start, cell.end);
    if (plain !== -1) {
      row.amounts[index] = plain;
      return null;
    }
    const cents = formattedCents(cell);
    if (typeof cents === "string") return cents;
    row.warnings |= WARNING_BIT.AMOUNT_FORMATTED;
    row.amounts[index] = cents;
    return null;
  };
}

function statusRules() {
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
    post_summary_correction_indicator: anyText,
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

/** The first letter decides; anything but Y is the default N. */
function isYes(cell: Cell): boolean {
  const first = cell.unit(0);
  return first === 0x59 || first === 0x79;
}
