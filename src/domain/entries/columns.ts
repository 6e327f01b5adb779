import data from "./columns.json" with { type: "json" };
import type { Layout } from "./entry.ts";

export type AmountColumn =
  | "entered_value"
  | "ieepa_duty_paid"
  | "line_duty"
  | "base_duty_paid"
  | "section_301_duty_paid"
  | "section_232_duty_paid"
  | "section_122_duty_paid"
  | "mpf_paid"
  | "hmf_paid"
  | "total_paid";

export type ColumnName =
  | AmountColumn
  | "entry_number"
  | "entry_type_code"
  | "importer_number"
  | "importer_name"
  | "port_of_entry_code"
  | "mode_of_transport_code"
  | "entry_date"
  | "entry_summary_date"
  | "country_of_origin_code"
  | "hts_number"
  | "line_description"
  | "chapter_99_numbers"
  | "liquidation_status"
  | "liquidation_date"
  | "reconciliation_indicator"
  | "drawback_indicator"
  | "post_summary_correction_indicator"
  | "protest_number"
  | "protest_status"
  | "protest_decision_date";

/** A known column of an entry file. */
export interface Column {
  readonly name: ColumnName;
  /** Its own bit in a mask of columns. */
  readonly bit: number;
  /** Normalised header texts in order of precedence; the column's own name is first. */
  readonly headers: readonly string[];
  readonly requiredIn: readonly Layout[];
  /** Set when the column is an unknown one in the other layout. */
  readonly onlyIn: Layout | null;
}

interface ColumnRow {
  name: string;
  synonyms?: string[];
  requiredIn?: string[];
  onlyIn?: string;
}

const rows: readonly ColumnRow[] = data.columns;

export const COLUMNS: readonly Column[] = rows.map((row, index) => ({
  name: row.name as ColumnName,
  bit: 1 << index,
  headers: [row.name, ...(row.synonyms ?? [])].map(normaliseHeader),
  requiredIn: (row.requiredIn ?? []) as Layout[],
  onlyIn: (row.onlyIn ?? null) as Layout | null,
}));

/** Headers that together make a file an ES-003 export. */
export const ES003_MARKERS: readonly string[] = data.es003Markers.map(normaliseHeader);

const byName = new Map(COLUMNS.map((column) => [column.name, column]));

/** The bit of a column in masks such as `Row.failed`. */
export function columnBit(name: ColumnName): number {
  return byName.get(name)?.bit ?? 0;
}

/** How header texts are compared (diligence-model §1): `Entry Summary Number` is `entry_summary_number`. */
export function normaliseHeader(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
}
