import { AMOUNT_COLUMNS, type AmountColumn, type ColumnName } from "../columns.ts";
import { copyText } from "../csv/copy-text.ts";
import { type CsvCell, parseDigits } from "../csv/csv-record.ts";
import { parseFormattedCents, parsePlainCents } from "./amount-cell.ts";
import { CellMemo } from "./cell-memo.ts";
import { findCountry, findEntryType, findLiquidationStatus, findProtestStatus } from "./code-lists.ts";
import { dropMidnight, hasIsoFormat, parseIsoDate, parseUsDate } from "./date-cell.ts";
import { DateOrder } from "./date-orders.ts";
import { DecimalSign } from "./decimal-signs.ts";
import {
  findCheckDigitError,
  findEntryNumberError,
  isWellFormed,
  normalizeEntryNumber,
  removeDashes,
} from "./entry-number.ts";
import { foldNumber } from "./fold-number.ts";
import { normalizeImporterNumber } from "./importer-number.ts";
import { readIndicator } from "./indicator.ts";
import { AMOUNT_INDEX, type Row } from "./row.ts";
import type { RowErrorCode } from "./row-error-messages.ts";
import { isDigits, parseChapter99List, parseHts } from "./tariff-number.ts";
import { WARNING_BIT } from "./warnings.ts";

/** Reads one cell into the row. Returns the error of the cell or null. */
export type CellRule = (cell: CsvCell, row: Row) => RowErrorCode | null;

/** `2.70E+11` or `270426123456.0` */
const TAKEN_FOR_NUMBER = /^\d(?:\.\d+)?E[+-]?\d+$|^\d+\.0+$/i;

/** What the date columns and the amount columns show, by their names. */
export type DateOrders = Map<ColumnName, DateOrder>;
export type DecimalSigns = Map<ColumnName, DecimalSign>;

/**
 * The rules of diligence-model §1 by column. Each file needs a set, because the rules remember its cells. They fill `orders` and
 * `signs` as they read.
 */
export function createCellRules(
  orders: DateOrders,
  signs: DecimalSigns,
): Readonly<Record<ColumnName, CellRule>> {
  const importerNumbers = new CellMemo(normalizeImporterNumber, { maxLength: 20 });
  const names = new CellMemo(copyText, { maxLength: 200 });
  const chapter99Lists = new CellMemo(parseChapter99List, { maxLength: 100 });
  const liquidationStatuses = new CellMemo((word) => findLiquidationStatus(word) ?? null, { maxLength: 40 });
  const amountRules = Object.fromEntries(
    AMOUNT_COLUMNS.map((column) => [column, createAmountRule(signs, column)]),
  ) as Record<AmountColumn, CellRule>;
  return {
    ...amountRules,
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
    entry_date: createDateRule(orders, "entry_date", "entryDate"),
    entry_summary_date: createDateRule(orders, "entry_summary_date", "entrySummaryDate"),
    country_of_origin_code(cell, row) {
      row.countryOfOriginCode = findCountry(cell.toString()) ?? null;
      if (row.countryOfOriginCode === null) return "COUNTRY_UNKNOWN";
      if (cell.unitAt(0) > UPPER_Z || cell.unitAt(1) > UPPER_Z) row.warningMask |= WARNING_BIT.COUNTRY_CASE;
      return null;
    },
    entry_summary_line_number: createNumberRule("entryLine"),
    tariff_ordinal_number: createNumberRule("tariffOrdinal"),
    entry_summary_version_number: createNumberRule("version"),
    hts_number(cell, row) {
      row.htsNumber = parseHts(cell);
      if (row.htsNumber === null) return "HTS_LENGTH";
      if (row.htsNumber.length !== cell.length) row.warningMask |= WARNING_BIT.HTS_NORMALISED;
      return null;
    },
    line_description: acceptAnyText,
    chapter_99_numbers(cell, row) {
      const list = chapter99Lists.get(cell);
      if (!list.isValid) return "CHAPTER_99_FORMAT";
      if (list.wasNormalized) row.warningMask |= WARNING_BIT.HTS_NORMALISED;
      row.chapter99Numbers = list.numbers;
      return null;
    },
    liquidation_status(cell, row) {
      row.liquidationStatus = liquidationStatuses.get(cell);
      return row.liquidationStatus === null ? "LIQUIDATION_STATUS_UNKNOWN" : null;
    },
    liquidation_date: createDateRule(orders, "liquidation_date", "liquidationDate"),
    reconciliation_indicator: createIndicatorRule("reconciliation"),
    drawback_indicator: createIndicatorRule("drawback"),
    post_summary_correction_indicator: acceptAnyText,
    protest_number(cell, row) {
      const text = cell.toString();
      // Databases write NULL or N/A for a blank cell, and a look-up of a spreadsheet 0.
      if (!/[1-9]/.test(text)) return null;
      if (TAKEN_FOR_NUMBER.test(text)) return "PROTEST_NUMBER_FORMAT";
      row.protestNumber = text;
      return null;
    },
    protest_status(cell, row) {
      row.protestStatus = findProtestStatus(cell.toString()) ?? null;
      return row.protestStatus === null ? "PROTEST_STATUS_UNKNOWN" : null;
    },
    protest_decision_date: createDateRule(orders, "protest_decision_date", "protestDecisionDate"),
  };
}

/** The rows of an es003 entry repeat its number, so the rule remembers the last one. */
function createEntryNumberRule(): CellRule {
  let last = "";
  return (cell, row) => {
    if (cell.equals(last) && !cell.isUnwrapped) {
      row.entryNumber = last;
      return null;
    }
    const dashless = removeDashes(cell);
    const isUsual = isWellFormed(dashless);
    const number = isUsual ? dashless : normalizeEntryNumber(dashless);
    row.entryNumber = number;
    if (cell.isUnwrapped || dashless !== number) row.warningMask |= WARNING_BIT.ENTRY_NUMBER_REPAIRED;
    const error = isUsual ? findCheckDigitError(number) : findEntryNumberError(number);
    if (error === null) last = number;
    return error;
  };
}

function readEntryType(cell: CsvCell, row: Row): RowErrorCode | null {
  row.entryTypeCode = findEntryType(cell.toString()) ?? null;
  if (row.entryTypeCode === null) return "ENTRY_TYPE_UNKNOWN";
  if (cell.length === 1) row.warningMask |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

function readPortCode(cell: CsvCell, row: Row): RowErrorCode | null {
  if ((cell.length !== 4 && cell.length !== 3) || !isDigits(cell)) return "PORT_CODE_FORMAT";
  row.portOfEntryCode = cell.length === 4 ? cell.toString() : `0${cell}`;
  if (cell.length === 3) row.warningMask |= WARNING_BIT.LEADING_ZERO_RESTORED;
  return null;
}

const createNumberRule =
  (field: "entryLine" | "tariffOrdinal" | "version"): CellRule =>
  (cell, row) => {
    row[field] = readNumber(cell);
    return null;
  };

/** Not more than a small integer of V8 has. */
const MAX_FAST_DIGITS = 9;

/** A line number, ordinal or version as it is compared. A text that is no whole number stays a text. */
function readNumber(cell: CsvCell): number | string {
  const number = cell.length > MAX_FAST_DIGITS ? -1 : parseDigits(cell.units, cell.start, cell.end);
  return number === -1 ? foldNumber(copyText(cell.toString())) : number;
}

function createIndicatorRule(field: "reconciliation" | "drawback"): CellRule {
  return (cell, row) => {
    const isYes = readIndicatorCell(cell);
    row[field] = isYes === true;
    return isYes === null ? "INDICATOR_UNKNOWN" : null;
  };
}

const UPPER_N = 0x4e;

/** Most cells are N, which needs no text to be seen. */
const readIndicatorCell = (cell: CsvCell): boolean | null =>
  cell.length === 1 && cell.unitAt(0) === UPPER_N ? false : readIndicator(cell.toString());

/** The rule of columns in which only formulas are wrong. */
function acceptAnyText(): null {
  return null;
}

type DateField = "entryDate" | "entrySummaryDate" | "liquidationDate" | "protestDecisionDate";

function createDateRule(orders: DateOrders, column: ColumnName, field: DateField): CellRule {
  const order = new DateOrder();
  orders.set(column, order);
  return (cell, row) => {
    const end = cell.end;
    order.filled += 1;
    if (dropMidnight(cell)) row.warningMask |= WARNING_BIT.DATE_TIME_DROPPED;
    const isIso = hasIsoFormat(cell);
    const day = isIso ? parseIsoDate(cell, order, row.line) : parseUsDate(cell, order, row.line);
    if (typeof day === "string") {
      // The error shows the whole cell.
      cell.end = end;
      return day;
    }
    if (!isIso) row.warningMask |= WARNING_BIT.DATE_US_FORMAT;
    row[field] = day;
    return null;
  };
}

function createAmountRule(signs: DecimalSigns, column: AmountColumn): CellRule {
  const index = AMOUNT_INDEX[column];
  const sign = new DecimalSign();
  signs.set(column, sign);
  return (cell, row) => {
    const plain = parsePlainCents(cell.units, cell.start, cell.end);
    if (plain !== -1) {
      sign.countPlain(cell);
      row.amounts[index] = plain;
      return null;
    }
    const cents = parseFormattedCents(cell);
    if (typeof cents === "string") {
      sign.countRefused(cell, row.line);
      return cents;
    }
    sign.countFormatted(cell, row.line);
    row.warningMask |= WARNING_BIT.AMOUNT_FORMATTED;
    row.amounts[index] = cents;
    return null;
  };
}

const UPPER_Z = 0x5a;
