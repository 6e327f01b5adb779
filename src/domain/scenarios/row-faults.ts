import type { RowErrorCode } from "../entries/rules/row-error-messages.ts";
import type { Cells } from "./rows.ts";

/**
 * Breaks one rule of a row each (diligence-model §1), in all rows of an entry that is not liquidated. None makes a fault that
 * stops the submission.
 */
export const ROW_FAULTS: Readonly<Partial<Record<RowErrorCode, Cells>>> = {
  AMOUNT_NEGATIVE: { entered_value: "-100.00" },
  AMOUNT_NOT_NUMERIC: { entered_value: "n/a" },
  COUNTRY_UNKNOWN: { country_of_origin_code: "ZZ" },
  DATE_FORMAT: { entry_date: "3/25/25" },
  DATE_INVALID: { entry_date: "2025-02-30" },
  ENTRY_TYPE_UNKNOWN: { entry_type_code: "99" },
  FORMULA_INJECTION: { importer_name: "=SUM(A1:A9)" },
  HTS_LENGTH: { hts_number: "95030" },
  IMPORTER_NUMBER_FORMAT: { importer_number: "4519380" },
  INDICATOR_UNKNOWN: { drawback_indicator: "?" },
  LIQUIDATION_DATE_MISSING: { liquidation_status: "LIQUIDATED", liquidation_date: "" },
  LIQUIDATION_STATUS_UNKNOWN: { liquidation_status: "LIQUIDATING" },
  PORT_CODE_FORMAT: { port_of_entry_code: "14" },
  PROTEST_STATUS_UNKNOWN: { protest_status: "WITHDRAWN" },
  REQUIRED_FIELD_MISSING: { entry_type_code: "" },
};

export const FAULTY_CELLS: readonly Cells[] = Object.values(ROW_FAULTS);
