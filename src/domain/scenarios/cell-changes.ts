import { type Day, formatDay } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import type { RowErrorCode } from "../entries/rules/row-error-messages.ts";
import type { WarningCode } from "../entries/rules/warnings.ts";
import { type Cells, formatUsAmount, formatUsDate } from "./rows.ts";

export interface EntryBeforeChange {
  readonly cells: Cells;
  /** Those of the entry before it. */
  readonly previousCells: () => Cells;
  readonly entryDate: Day;
  readonly asOf: Day;
}

export interface CellChange {
  /** The default is both layouts. */
  readonly onlyIn?: Layout;
  /** In es003, changes only the row outside chapter 99. Default: all rows of the entry. */
  readonly in?: "goods row";
  readonly cells: (changing: EntryBeforeChange) => Cells;
}

const DATES = ["entry_date", "entry_summary_date", "liquidation_date"] as const;

/** Forms of spreadsheets and brokers' exports that the reader repairs (diligence-model §1). */
const REPAIRS: Readonly<Record<Exclude<WarningCode, "SUMMARY_DATE_IMPLAUSIBLE">, CellChange>> = {
  AMOUNT_FORMATTED: {
    in: "goods row",
    cells: ({ cells }) => ({ entered_value: formatUsAmount(cells.entered_value ?? "") }),
  },
  COUNTRY_CASE: {
    cells: ({ cells }) => ({ country_of_origin_code: cells.country_of_origin_code?.toLowerCase() ?? "" }),
  },
  DATE_TIME_DROPPED: { cells: ({ cells }) => ({ entry_date: `${cells.entry_date} 00:00:00` }) },
  DATE_US_FORMAT: { cells: ({ cells }) => formatUsDates(cells) },
  ENTRY_NUMBER_REPAIRED: {
    cells: ({ cells: { entry_number: number = "" } }) => ({
      entry_number: `${number.slice(0, 3).toLowerCase()} ${number.slice(3, 10)} ${number.slice(10)}`,
    }),
  },
  HTS_NORMALISED: {
    in: "goods row",
    cells: ({ cells: { hts_number: hts = "" } }) => ({
      hts_number: `${hts.slice(0, 4)}.${hts.slice(4, 6)}.${hts.slice(6)}`,
    }),
  },
  LEADING_ZERO_RESTORED: { cells: () => ({ entry_type_code: "1" }) },
};

export const REPAIRABLE_CHANGES: readonly CellChange[] = Object.values(REPAIRS);

const formatUsDates = (cells: Cells): Cells =>
  Object.fromEntries(DATES.map((column) => [column, formatUsDate(cells[column] ?? "")]));

/** Filer code and serial, ten characters. */
const removeCheckDigit = ({ cells }: EntryBeforeChange): string => (cells.entry_number ?? "").slice(0, 10);

const liquidationCells = (day: Day | null): Cells => ({
  liquidation_status: "LIQUIDATED",
  liquidation_date: day === null ? "" : formatDay(day),
});

/**
 * Breaks one rule of a row each (diligence-model §1), in an entry that is not liquidated. None makes a fault that stops the
 * submission: that of `ENTRY_INCOMPLETE` would.
 */
export const ROW_FAULTS: Readonly<Record<Exclude<RowErrorCode, "ENTRY_INCOMPLETE">, CellChange>> = {
  AMOUNT_NEGATIVE: { in: "goods row", cells: () => ({ entered_value: "-100.00" }) },
  AMOUNT_NOT_NUMERIC: { in: "goods row", cells: () => ({ entered_value: "n/a" }) },
  CHAPTER_99_FORMAT: { onlyIn: "entry", cells: () => ({ chapter_99_numbers: "9903.1" }) },
  COUNTRY_UNKNOWN: { cells: () => ({ country_of_origin_code: "ZZ" }) },
  // In es003, where other dates have slashes too, some of them would prove a column with the day first.
  DATE_AMBIGUOUS_DAY_FIRST: { onlyIn: "entry", cells: () => ({ entry_date: "25/3/2025" }) },
  DATE_FORMAT: { cells: () => ({ entry_date: "3/25/25" }) },
  DATE_INVALID: { cells: () => ({ entry_date: "2025-02-30" }) },
  DATE_IN_FUTURE: { cells: ({ asOf }) => ({ entry_date: formatDay(asOf + 40) }) },
  ENTRY_FIELDS_DISAGREE: {
    onlyIn: "es003",
    in: "goods row",
    cells: ({ cells }) => ({ entry_type_code: cells.entry_type_code === "01" ? "02" : "01" }),
  },
  ENTRY_NUMBER_BODY_NOT_NUMERIC: { cells: (at) => ({ entry_number: `${removeCheckDigit(at)}X` }) },
  ENTRY_NUMBER_CHARSET: {
    cells: (at) => ({
      entry_number: `${removeCheckDigit(at).slice(0, 2)}#${removeCheckDigit(at).slice(3)}0`,
    }),
  },
  ENTRY_NUMBER_CHECK_DIGIT: {
    cells: (at) => ({
      entry_number: removeCheckDigit(at) + ((Number(at.cells.entry_number?.at(-1)) + 1) % 10),
    }),
  },
  ENTRY_NUMBER_DUPLICATE: {
    onlyIn: "entry",
    // With other cells, it would look like another line of that entry.
    cells: ({ previousCells }) => previousCells(),
  },
  ENTRY_NUMBER_LENGTH: { cells: (at) => ({ entry_number: removeCheckDigit(at) }) },
  // In es003, each of its rows would stand alone.
  ENTRY_NUMBER_SCIENTIFIC: {
    onlyIn: "entry",
    cells: (at) => ({ entry_number: `8.${removeCheckDigit(at).slice(3)}E+10` }),
  },
  ENTRY_TYPE_UNKNOWN: { cells: () => ({ entry_type_code: "99" }) },
  ENTRY_VERSIONS_MIXED: {
    onlyIn: "es003",
    in: "goods row",
    cells: () => ({ entry_summary_version_number: "2" }),
  },
  FORMULA_INJECTION: { cells: () => ({ importer_name: "=SUM(A1:A9)" }) },
  HTS_LENGTH: { in: "goods row", cells: () => ({ hts_number: "95030" }) },
  IMPORTER_NUMBER_FORMAT: { cells: () => ({ importer_number: "4519380" }) },
  INDICATOR_UNKNOWN: { cells: () => ({ drawback_indicator: "?" }) },
  LIQUIDATION_BEFORE_ENTRY: { cells: ({ entryDate }) => liquidationCells(entryDate - 1) },
  LIQUIDATION_DATE_IN_FUTURE: { cells: ({ asOf }) => liquidationCells(asOf + 400) },
  LIQUIDATION_DATE_MISSING: { cells: () => liquidationCells(null) },
  LIQUIDATION_STATUS_CONFLICT: { cells: ({ asOf }) => ({ liquidation_date: formatDay(asOf - 10) }) },
  LIQUIDATION_STATUS_UNKNOWN: { cells: () => ({ liquidation_status: "LIQUIDATING" }) },
  PORT_CODE_FORMAT: { cells: () => ({ port_of_entry_code: "14" }) },
  PROTEST_STATUS_UNKNOWN: { cells: () => ({ protest_status: "WITHDRAWN" }) },
  REQUIRED_FIELD_MISSING: { cells: () => ({ entry_type_code: "" }) },
  TARIFF_LINE_DUPLICATE: {
    onlyIn: "es003",
    in: "goods row",
    cells: () => ({ tariff_ordinal_number: "1" }),
  },
  TOTAL_MISMATCH: {
    onlyIn: "entry",
    cells: ({ cells }) => ({ total_paid: (Number(cells.total_paid) + 2).toFixed(2) }),
  },
};

export const rowFaultsFor = (layout: Layout): readonly CellChange[] =>
  Object.values(ROW_FAULTS).filter(({ onlyIn = layout }) => onlyIn === layout);
