import type { Layout } from "./entry.ts";

interface ColumnData {
  /** Header texts of the ACE report ES-003 and of brokers' exports, in order of precedence. */
  readonly synonyms?: readonly string[];
  readonly requiredIn?: readonly Layout[];
  /** Set when the other layout does not know the column. */
  readonly onlyIn?: Layout;
  /** Its heading in the ACE report ES-003; null if the report has none. Default: the words of the name. */
  readonly es003Heading?: string | null;
  /** Set when it tells apart the rows of one entry. The layout `entry` reads it, and its files do not need it. */
  readonly isOfRows?: true;
  /** Set when only formulas are wrong in its cells. */
  readonly isFreeText?: true;
}

const BOTH: readonly Layout[] = ["entry", "es003"];

// The columns of the sandbox's own diligence model §1.

const IDENTIFICATION = {
  entry_number: {
    synonyms: ["Entry Summary Number", "Entry No"],
    requiredIn: BOTH,
    es003Heading: "Entry Summary Number",
  },
  entry_summary_line_number: { isOfRows: true },
  entry_type_code: { synonyms: ["Entry Type"], requiredIn: BOTH },
  importer_number: { synonyms: ["IOR Number", "Importer of Record Number"], requiredIn: BOTH },
  importer_name: { synonyms: ["Importer"] },
  port_of_entry_code: { synonyms: ["Port Code"] },
  mode_of_transport_code: { synonyms: ["MOT"], es003Heading: null, isFreeText: true },
  entry_date: { requiredIn: BOTH },
  entry_summary_date: {},
  country_of_origin_code: { synonyms: ["Country of Origin", "COO"], requiredIn: BOTH },
  tariff_ordinal_number: { onlyIn: "es003" },
  hts_number: {
    synonyms: ["HTS Number - Full", "HTS Code"],
    requiredIn: ["es003"],
    es003Heading: "HTS Number - Full",
  },
  line_description: { synonyms: ["Description"], es003Heading: null, isFreeText: true },
  entry_summary_version_number: { synonyms: ["Version Number"], isOfRows: true },
  chapter_99_numbers: { synonyms: ["Chapter 99 Codes"], es003Heading: null },
} satisfies Record<string, ColumnData>;

const AMOUNTS = {
  entered_value: {
    synonyms: ["Goods Value", "Line Tariff Goods Value Amount", "Line Goods Value Amount"],
    requiredIn: BOTH,
    es003Heading: "Line Tariff Goods Value Amount",
  },
  ieepa_duty_paid: { synonyms: ["IEEPA Duty"], requiredIn: ["entry"], onlyIn: "entry", es003Heading: null },
  line_duty: {
    synonyms: ["Line Tariff Duty Amount", "Line Tariff Amount", "Line Duty Amount"],
    requiredIn: ["es003"],
    onlyIn: "es003",
    es003Heading: "Line Tariff Duty Amount",
  },
  base_duty_paid: { es003Heading: null },
  section_301_duty_paid: { es003Heading: null },
  section_232_duty_paid: { es003Heading: null },
  section_122_duty_paid: { es003Heading: null },
  mpf_paid: { synonyms: ["MPF"], es003Heading: null },
  hmf_paid: { synonyms: ["HMF"], es003Heading: null },
  total_paid: { synonyms: ["Total Duty"], es003Heading: null },
} satisfies Record<string, ColumnData>;

const STATUS = {
  liquidation_status: { requiredIn: ["entry"] },
  liquidation_date: {},
  reconciliation_indicator: {},
  drawback_indicator: {},
  post_summary_correction_indicator: { es003Heading: null, isFreeText: true },
  protest_number: {},
  protest_status: {},
  protest_decision_date: {},
} satisfies Record<string, ColumnData>;

export type AmountColumn = keyof typeof AMOUNTS;
export type ColumnName = keyof typeof IDENTIFICATION | AmountColumn | keyof typeof STATUS;

export interface EntryColumn {
  readonly name: ColumnName;
  /** The bit of this column in masks such as `Row.parsedColumns`; 0 for free text, because a mask has 32. */
  readonly bit: number;
  /** Normalized headings in order of precedence. The first is the name of the column. */
  readonly aliases: readonly string[];
  readonly requiredIn: readonly Layout[];
  readonly onlyIn: Layout | null;
  readonly es003Heading: string | null;
  readonly isOfRows: boolean;
}

/** Before the words or in brackets; a dash elsewhere only joins words. */
const MINUS = /^\s*[-−]|\(\s*(?:\+\s*\/\s*)?[-−]\s*\)/;

const columns: Readonly<Record<ColumnName, ColumnData>> = { ...IDENTIFICATION, ...AMOUNTS, ...STATUS };

const JUDGED_NAMES = Object.keys(columns).filter((name) => columns[name as ColumnName].isFreeText !== true);

export const COLUMNS: readonly EntryColumn[] = Object.entries(columns).map(([name, data]) => ({
  name: name as ColumnName,
  bit: data.isFreeText ? 0 : 1 << JUDGED_NAMES.indexOf(name),
  aliases: [name, ...(data.synonyms ?? [])].map(normalizeHeader),
  requiredIn: data.requiredIn ?? [],
  onlyIn: data.onlyIn ?? null,
  es003Heading: data.es003Heading === undefined ? titleOf(name) : data.es003Heading,
  isOfRows: data.isOfRows === true,
}));

export const AMOUNT_COLUMNS = Object.keys(AMOUNTS) as readonly AmountColumn[];

/** Headings that only the ACE report ES-003 has, of columns that the model reads. */
const ES003_READ_HEADINGS = [
  "Entry Summary Line Number",
  "Line Tariff Goods Value Amount",
  "Line Goods Value Amount",
  "Line Tariff Duty Amount",
  "Line Tariff Amount",
  "Line Duty Amount",
];

/** The same, of columns that the model does not use. */
const ES003_OTHER_HEADINGS = [
  "Country of Export Code",
  ...[1, 2, 3].flatMap((n) => [`Line Tariff Quantity ${n}`, `Line Tariff UOM ${n} Code`]),
  "Importation Date",
  "Filer Name",
  "Column 1 Current Primary Duty Rate",
  "Line Post Summary Correction Indicator",
  "Initial Entry Summary Create Date",
  "Control Status",
  "Review Team Number",
  "Manufacturer ID",
  "Foreign Exporter ID",
  "Line SPI Code",
  "Total Liquidated Duty Amount",
];

const ES003_OTHER_HEADERS: ReadonlySet<string> = new Set(ES003_OTHER_HEADINGS.map(normalizeHeader));
const ES003_HEADERS: ReadonlySet<string> = new Set([
  ...ES003_READ_HEADINGS.map(normalizeHeader),
  ...ES003_OTHER_HEADERS,
]);

/** Whether only the report ES-003 has this header. */
export const isEs003Header = (header: string): boolean => ES003_HEADERS.has(header);

export const isUnusedEs003Header = (header: string): boolean => ES003_OTHER_HEADERS.has(header);

export const findColumn = (text: string): EntryColumn | undefined => {
  const header = normalizeHeader(text);
  return COLUMNS.find(({ aliases }) => aliases.includes(header));
};

export const columnBit = (name: ColumnName): number =>
  COLUMNS.find((column) => column.name === name)?.bit ?? 0;

/** Whether it has the sign of a rate, a count, or a currency other than the dollar, a minus, or a letter of another alphabet. */
function hasOtherMeaning(text: string): boolean {
  return /[%‰#±]|(?!\$)\p{Sc}|(?![a-z])\p{L}/iu.test(text) || MINUS.test(text);
}

function collapse(text: string, separators: RegExp): string {
  return text.trim().toLowerCase().replace(separators, "_").replace(/^_|_$/g, "");
}

/**
 * The form in which header texts are compared (diligence-model §1): `Entry Number` becomes `entry_number`. Signs and letters that
 * may make something else of an amount stay: `IEEPA Duty %`, `IEEPA Duty #`, `- IEEPA Duty` and `MPF 税率` are other columns.
 */
export function normalizeHeader(text: string): string {
  const header = collapse(text, /[^a-z0-9]+/g);
  if (!hasOtherMeaning(text) || (header !== "" && !isAmount(header))) return header;
  return collapse(text.replace(MINUS, "−"), /(?:[^\p{L}\p{Nd}\p{Sc}%‰#±−]|\$)+/gu);
}

const isAmount = (header: string): boolean =>
  COLUMNS.some(({ aliases, name }) => aliases.includes(header) && Object.hasOwn(AMOUNTS, name));

/** Whether it names the duty of a whole line, which its tariff rows repeat. Both are names of one column. */
export const isDutyOfLine = (heading: string): boolean => normalizeHeader(heading) === "line_duty_amount";

/** The column of amounts that a heading names but for such signs and letters, and what they say; null if there is none. */
export function findOtherMeaning(text: string): { column: EntryColumn; reason: string } | null {
  const signs = normalizeHeader(text).replace(/[a-z0-9_]/g, "");
  const column =
    signs === "" ? undefined : findColumn(text.replace(MINUS, " ").replace(/[^\x20-\x7e]|[%#]/g, " "));
  if (column === undefined) return null;
  if (/[%‰]/.test(signs)) return { column, reason: "it is a rate" };
  if (signs.includes("#")) return { column, reason: "it is a count" };
  if (/[±−]/.test(signs)) return { column, reason: "it has the sign of a correction" };
  const isCurrency = /\p{Sc}/u.test(signs);
  return { column, reason: isCurrency ? "it is in another currency" : "it has letters of another alphabet" };
}

/** `port_of_entry_code` → `Port of Entry Code`. */
function titleOf(name: string): string {
  return name.replace(/(?<=^|_)(?!of_)[a-z]/g, (letter) => letter.toUpperCase()).replaceAll("_", " ");
}
