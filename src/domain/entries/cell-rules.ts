import { findCountry, findEntryType, findLiquidationStatus, findProtestStatus } from "./code-lists.ts";
import type { AmountColumn, ColumnName } from "./columns.ts";
import { type DateReading, dateCells } from "./date-cell.ts";
import type { Day } from "./dates.ts";
import type { RowErrorCode } from "./entry.ts";
import { entryNumberFault, normaliseEntryNumber, withoutDashes } from "./entry-number.ts";
import { readImporterNumber } from "./importer-number.ts";
import { Memo } from "./memo.ts";
import { formattedCents, plainCents } from "./money.ts";
import { ownText } from "./own-text.ts";
import type { Row } from "./row.ts";
import { isDigits, readChapter99List, readHts } from "./tariff-number.ts";
import { WARNING_BIT } from "./warnings.ts";

/**
 * Reads one cell, trimmed and not blank, into the row. `changed` tells that trimming or unwrapping altered it.
 * Answers what is wrong with it, or null.
 */
export type CellRule = (cell: string, row: Row, changed: boolean) => RowErrorCode | null;

/** The rules of diligence-model §1 by column. Each call has memos of its own: one set a file. */
export function cellRules(asOf: Day): Readonly<Record<ColumnName, CellRule>> {
  return { ...identityRules(), ...dateRules(asOf), ...tariffRules(), ...moneyRules(), ...statusRules() };
}

function identityRules() {
  const importerNumbers = new Memo(readImporterNumber, 5_000, 20);
  const names = new Memo(ownText, 5_000, 200);
  const rules = {
    entry_number: readEntryNumber,
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

function readEntryNumber(cell: string, row: Row, changed: boolean): RowErrorCode | null {
  const dashless = withoutDashes(cell);
  row.entryNumber = normaliseEntryNumber(dashless);
  if (changed || dashless !== row.entryNumber) row.warnings |= WARNING_BIT.ENTRY_NUMBER_REPAIRED;
  return entryNumberFault(row.entryNumber);
}

function readEntryType(cell: string, row: Row): RowErrorCode | null {
  const oneDigit = cell.length === 1;
  row.entryTypeCode = findEntryType(oneDigit ? `0${cell}` : cell) ?? null;
  if (row.entryTypeCode === null) return "ENTRY_TYPE_UNKNOWN";
  if (oneDigit) row.warnings |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

function readPort(cell: string, row: Row): RowErrorCode | null {
  if ((cell.length !== 4 && cell.length !== 3) || !isDigits(cell)) return "PORT_CODE_FORMAT";
  row.portOfEntryCode = cell.length === 4 ? cell : `0${cell}`;
  if (cell.length === 3) row.warnings |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

/** Columns without a rule of their own: only a formula is refused. */
function anyText(): null {
  return null;
}

type DateField = "entryDate" | "entrySummaryDate" | "liquidationDate" | "protestDecisionDate";

function dateRules(asOf: Day) {
  const into = (field: DateField): CellRule => {
    // A memo a column: rows of one entry repeat the same date in the same place.
    const dates = dateCells();
    return (cell, row) => {
      const reading = dates.get(cell);
      if (reading.fault !== null) return reading.fault;
      noteUsFormat(reading, row);
      row[field] = reading.day;
      return null;
    };
  };
  const entryDate = into("entryDate");
  const rules = {
    entry_date(cell, row, changed) {
      const fault = entryDate(cell, row, changed);
      return fault === null && (row.entryDate ?? asOf) > asOf ? "DATE_IN_FUTURE" : fault;
    },
    entry_summary_date: into("entrySummaryDate"),
    liquidation_date: into("liquidationDate"),
    protest_decision_date: into("protestDecisionDate"),
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

function noteUsFormat(reading: DateReading, row: Row): void {
  if (reading.us) row.warnings |= WARNING_BIT.DATE_US_FORMAT;
}

function tariffRules() {
  const lists = new Memo(readChapter99List, 5_000, 100);
  const rules = {
    hts_number(cell, row) {
      row.htsNumber = readHts(cell);
      if (row.htsNumber === null) return "HTS_LENGTH";
      if (row.htsNumber !== cell) row.warnings |= WARNING_BIT.HTS_NORMALISED;
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
  return (cell, row) => {
    const cents = plainCents(cell);
    if (cents !== -1) {
      row.amounts[column] = cents;
      return null;
    }
    const reading = formattedCents(cell);
    if (reading.fault !== null) return reading.fault;
    row.warnings |= WARNING_BIT.AMOUNT_FORMATTED;
    row.amounts[column] = reading.cents;
    return null;
  };
}

function statusRules() {
  const statuses = new Memo((word) => findLiquidationStatus(word) ?? null, 100, 40);
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
      row.protestNumber = cell;
      return null;
    },
    protest_status(cell, row) {
      row.protestStatus = findProtestStatus(cell) ?? null;
      return row.protestStatus === null ? "PROTEST_STATUS_UNKNOWN" : null;
    },
  } satisfies Partial<Record<ColumnName, CellRule>>;
  return rules;
}

/** The first letter decides; anything but Y is the default N. */
function isYes(cell: string): boolean {
  const first = cell.charCodeAt(0);
  return first === 0x59 || first === 0x79;
}
