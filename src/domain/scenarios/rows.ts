import { COLUMNS, type ColumnName } from "../entries/columns.ts";
import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { formatChapter99 } from "../entries/rules/tariff-number.ts";
import type { ScenarioEntry } from "./draft.ts";

/** Column name in the model → text. */
export type Cells = Readonly<Partial<Record<ColumnName, string>>>;

/** A file has the base duty before the duty of the voided tariffs. */
const ENTRY_COLUMNS = COLUMNS.flatMap(({ name, onlyIn, isOfRows }): ColumnName[] => {
  if (name === "ieepa_duty_paid") return ["base_duty_paid", name];
  return onlyIn === "es003" || isOfRows || name === "base_duty_paid" ? [] : [name];
});

const ES003_COLUMNS = COLUMNS.flatMap(({ name, es003Heading }) =>
  es003Heading === null ? [] : [{ name, es003Heading }],
);
const ES003_NAMES = ES003_COLUMNS.map(({ name }) => name);

export const ROW_LAYOUTS = {
  entry: {
    columns: ENTRY_COLUMNS,
    header: ENTRY_COLUMNS,
    buildRows: (entry: ScenarioEntry, changedCells: Cells): string[][] => {
      const parts = [changedCells, buildTotalCells(entry), buildEntryCells(entry)];
      return [formatRow(ENTRY_COLUMNS, parts, ENTRY_FORMATS)];
    },
  },
  es003: {
    columns: ES003_NAMES,
    header: ES003_COLUMNS.map(({ es003Heading }) => es003Heading),
    buildRows: buildEs003Rows,
  },
} satisfies Readonly<Record<Layout, unknown>>;

/** The text of a column in the first part that has it. Merging the parts would take most of the time. */
function findCellText(parts: readonly Readonly<Record<string, string>>[], column: string): string {
  for (const part of parts) {
    const text = part[column];
    if (text !== undefined) return text;
  }
  return "";
}

type CellFormats = Readonly<Partial<Record<string, (text: string) => string>>>;

const formatRow = (columns: readonly string[], parts: readonly Cells[], formats: CellFormats): string[] =>
  columns.map((column) => {
    const text = findCellText(parts, column);
    return formats[column]?.(text) ?? text;
  });

const ENTRY_FORMATS: CellFormats = {
  /** `ZZ9-6256831-9`; keeps a number of another length. */
  entry_number: (number) => number.replace(/^(.{3})(.{7})(.)$/, "$1-$2-$3"),
};

/** `2025-12-14` → `12/14/2025`; keeps other text. */
const formatUsDate = (text: string): string =>
  text.charAt(4) === "-"
    ? `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)}${text.slice(10)}`
    : text;

/** `NOT_LIQUIDATED` → `Not Liquidated`. */
const titleCase = (code: string): string =>
  code.replace(/(?<=[A-Z])[A-Z]+/g, (rest) => rest.toLowerCase()).replaceAll("_", " ");

const ES003_FORMATS: CellFormats = {
  entry_date: formatUsDate,
  entry_summary_date: formatUsDate,
  liquidation_date: formatUsDate,
  protest_decision_date: formatUsDate,
  liquidation_status: titleCase,
  protest_status: titleCase,
};

/** `1234.50`. */
function formatDollars(cents: number): string {
  const text = String(cents).padStart(3, "0");
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** `1234.50` → `$1,234.50`. */
const formatUsAmount = (amount: string): string => `$${amount.replace(/\B(?=(\d{3})+\.)/g, ",")}`;

const formatFlag = (isSet: boolean): string => (isSet ? "Y" : "N");

function buildEntryCells({ facts, ...entry }: ScenarioEntry): Cells {
  return {
    entry_number: entry.number,
    entry_type_code: facts.typeCode,
    importer_number: entry.importer.number,
    importer_name: entry.importer.name,
    port_of_entry_code: entry.port,
    mode_of_transport_code: "11",
    entry_date: formatDay(facts.entryDate),
    entry_summary_date: formatDay(entry.summaryDate),
    country_of_origin_code: entry.country,
    liquidation_status: facts.liquidationStatus ?? "",
    liquidation_date: formatOptionalDay(facts.liquidationDate) ?? "",
    reconciliation_indicator: formatFlag(facts.isReconciled),
    drawback_indicator: formatFlag(facts.hasDrawback),
    post_summary_correction_indicator: "N",
    protest_number: entry.protestNumber,
    protest_status: facts.protestStatus ?? "",
    protest_decision_date: formatOptionalDay(facts.decisionDate) ?? "",
  };
}

/** A Section 301 number for goods of China. */
const SECTION_301_NUMBER = "99038815";

function buildTotalCells(entry: ScenarioEntry): Cells {
  const { valueCents, baseCents, ieepaCents, section301Cents } = entry;
  // Illustrative: a merchandise processing fee of 0.3464 % within limits, a harbor maintenance fee of 0.125 %.
  const mpfCents = Math.min(65_150, Math.max(3_358, Math.round((valueCents * 3_464) / 1_000_000)));
  const hmfCents = Math.round((valueCents * 125) / 100_000);
  const chapter99 = [ieepaCents > 0 ? entry.ieepaNumber : "", section301Cents > 0 ? SECTION_301_NUMBER : ""];
  return {
    hts_number: entry.hts,
    line_description: entry.description,
    chapter_99_numbers: chapter99.filter(Boolean).map(formatChapter99).join(";"),
    entered_value: formatDollars(valueCents),
    base_duty_paid: formatDollars(baseCents),
    ieepa_duty_paid: formatDollars(ieepaCents),
    section_301_duty_paid: formatDollars(section301Cents),
    section_232_duty_paid: "0.00",
    section_122_duty_paid: "0.00",
    mpf_paid: formatDollars(mpfCents),
    hmf_paid: formatDollars(hmfCents),
    total_paid: formatDollars(baseCents + ieepaCents + section301Cents + mpfCents + hmfCents),
  };
}

const EXEMPT_NUMBERS = ["99030132", "99030133"] as const;

/** The duty under chapter 99, the goods, then other duties and lines without duty. @param count at least two */
function buildEs003Rows(entry: ScenarioEntry, changedCells: Cells, count: number): string[][] {
  const shared = buildEntryCells(entry);
  const { hts, section301Cents } = entry;
  const lines = [
    { hts: entry.ieepaNumber, valueCents: 0, dutyCents: entry.ieepaCents },
    { hts, valueCents: entry.valueCents, dutyCents: entry.baseCents },
    {
      hts: section301Cents > 0 ? SECTION_301_NUMBER : EXEMPT_NUMBERS[0],
      valueCents: 0,
      dutyCents: section301Cents,
    },
    { hts: EXEMPT_NUMBERS[1], valueCents: 0, dutyCents: 0 },
  ];
  return lines.slice(0, count).map((line, index) => {
    const own = {
      entry_summary_line_number: "1",
      entry_summary_version_number: "1",
      tariff_ordinal_number: String(index + 1),
      hts_number: line.hts,
      entered_value: formatUsAmount(formatDollars(line.valueCents)),
      line_duty: formatUsAmount(formatDollars(line.dutyCents)),
    };
    const parts = [changedCells, own, shared];
    return formatRow(ES003_NAMES, parts, ES003_FORMATS);
  });
}
