import type { ColumnName } from "../entries/columns.ts";
import { type Cells, findCellText } from "./cells.ts";

export const ENTRY_COLUMNS = [
  "entry_number",
  "entry_type_code",
  "importer_number",
  "importer_name",
  "port_of_entry_code",
  "mode_of_transport_code",
  "entry_date",
  "entry_summary_date",
  "country_of_origin_code",
  "hts_number",
  "line_description",
  "chapter_99_numbers",
  "entered_value",
  "base_duty_paid",
  "ieepa_duty_paid",
  "section_301_duty_paid",
  "section_232_duty_paid",
  "section_122_duty_paid",
  "mpf_paid",
  "hmf_paid",
  "total_paid",
  "liquidation_status",
  "liquidation_date",
  "reconciliation_indicator",
  "drawback_indicator",
  "post_summary_correction_indicator",
  "protest_number",
  "protest_status",
  "protest_decision_date",
] as const satisfies readonly ColumnName[];

export const buildEntryRow = (parts: readonly Cells[]): string[] =>
  ENTRY_COLUMNS.map((column) => {
    const text = findCellText(parts, column);
    return column === "entry_number" ? formatEntryNumber(text) : text;
  });

const NUMBER_LENGTH = 11;

/** `ZZ9-6256831-9`; keeps a number of another length. */
const formatEntryNumber = (number: string): string =>
  number.length === NUMBER_LENGTH
    ? `${number.slice(0, 3)}-${number.slice(3, 10)}-${number.slice(10)}`
    : number;
