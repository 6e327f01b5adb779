import type { Layout } from "./entry.ts";

interface ColumnData {
  /** Header texts of the ACE report ES-003 and of brokers' exports, in order of precedence. */
  readonly synonyms?: readonly string[];
  readonly requiredIn?: readonly Layout[];
  /** Set when the other layout does not know the column. */
  readonly onlyIn?: Layout;
}

const BOTH: readonly Layout[] = ["entry", "es003"];

// The columns of the sandbox's own diligence model §1.

const IDENTIFICATION = {
  entry_number: { synonyms: ["Entry Summary Number", "Entry No"], requiredIn: BOTH },
  entry_type_code: { synonyms: ["Entry Type"], requiredIn: BOTH },
  importer_number: { synonyms: ["IOR Number", "Importer of Record Number"], requiredIn: BOTH },
  importer_name: { synonyms: ["Importer"] },
  port_of_entry_code: { synonyms: ["Port Code"] },
  mode_of_transport_code: { synonyms: ["MOT"] },
  entry_date: { requiredIn: BOTH },
  entry_summary_date: {},
  country_of_origin_code: { synonyms: ["Country of Origin", "COO"], requiredIn: BOTH },
  hts_number: { synonyms: ["HTS Number - Full", "HTS Code"], requiredIn: ["es003"] },
  line_description: { synonyms: ["Description"] },
  chapter_99_numbers: { synonyms: ["Chapter 99 Codes"] },
} satisfies Record<string, ColumnData>;

const AMOUNTS = {
  entered_value: {
    synonyms: ["Goods Value", "Line Tariff Goods Value Amount", "Line Goods Value Amount"],
    requiredIn: BOTH,
  },
  ieepa_duty_paid: { synonyms: ["IEEPA Duty"], requiredIn: ["entry"] },
  line_duty: {
    synonyms: ["Line Tariff Duty Amount", "Line Tariff Amount", "Line Duty Amount"],
    requiredIn: ["es003"],
    onlyIn: "es003",
  },
  base_duty_paid: {},
  section_301_duty_paid: {},
  section_232_duty_paid: {},
  section_122_duty_paid: {},
  mpf_paid: { synonyms: ["MPF"] },
  hmf_paid: { synonyms: ["HMF"] },
  total_paid: { synonyms: ["Total Duty"] },
} satisfies Record<string, ColumnData>;

const STATUS = {
  liquidation_status: { requiredIn: ["entry"] },
  liquidation_date: {},
  reconciliation_indicator: {},
  drawback_indicator: {},
  post_summary_correction_indicator: {},
  protest_number: {},
  protest_status: {},
  protest_decision_date: {},
} satisfies Record<string, ColumnData>;

export type AmountColumn = keyof typeof AMOUNTS;
export type ColumnName = keyof typeof IDENTIFICATION | AmountColumn | keyof typeof STATUS;

export interface EntryColumn {
  readonly name: ColumnName;
  /** The bit of this column in masks such as `Row.parsedColumns`. */
  readonly bit: number;
  /** Normalised header texts in order of precedence. The first is the name of the column. */
  readonly headers: readonly string[];
  readonly requiredIn: readonly Layout[];
  readonly onlyIn: Layout | null;
}

const columns: Readonly<Record<ColumnName, ColumnData>> = { ...IDENTIFICATION, ...AMOUNTS, ...STATUS };

export const COLUMNS: readonly EntryColumn[] = Object.entries(columns).map(
  ([name, { synonyms = [], requiredIn = [], onlyIn = null }], index) => ({
    name: name as ColumnName,
    bit: 1 << index,
    headers: [name, ...synonyms].map(normaliseHeader),
    requiredIn,
    onlyIn,
  }),
);

export const AMOUNT_COLUMNS = Object.keys(AMOUNTS) as readonly AmountColumn[];

/** Headers that together make a file an ES-003 export. */
export const ES003_MARKERS: readonly string[] = ["Tariff Ordinal Number", "HTS Number - Full"].map(
  normaliseHeader,
);

/** Whether the model reads a column under this header. */
export const isKnownHeader = (text: string): boolean => KNOWN_HEADERS.has(normaliseHeader(text));

const KNOWN_HEADERS: ReadonlySet<string> = new Set([
  ...COLUMNS.flatMap(({ headers }) => headers),
  ...ES003_MARKERS,
]);

/** The names of the columns and their synonyms, as people write them. */
export const LISTED_HEADERS: readonly string[] = Object.entries(columns).flatMap(
  ([name, { synonyms = [] }]) => [name, ...synonyms],
);

export const columnBit = (name: ColumnName): number =>
  COLUMNS.find((column) => column.name === name)?.bit ?? 0;

/** The form in which header texts are compared (diligence-model §1): `Entry Number` becomes `entry_number`. */
export function normaliseHeader(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
}
