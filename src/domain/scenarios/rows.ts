import { COLUMNS, type ColumnName } from "../entries/columns.ts";
import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { formatChapter99 } from "../entries/rules/tariff-number.ts";
import type { ScenarioEntry } from "./draft.ts";

/** Column name in the model → text. */
export type Cells = Readonly<Partial<Record<ColumnName, string>>>;

const ENTRY_COLUMNS = COLUMNS.filter(({ onlyIn, isOfRows }) => onlyIn !== "es003" && !isOfRows);
const ES003_COLUMNS = COLUMNS.filter(({ es003Heading }) => es003Heading !== null);

export const ROW_LAYOUTS = {
  entry: {
    columns: ENTRY_COLUMNS.map(({ name }) => name),
    header: ENTRY_COLUMNS.map(({ name }): string => name),
  },
  es003: {
    columns: ES003_COLUMNS.map(({ name }) => name),
    header: ES003_COLUMNS.map(({ es003Heading }) => es003Heading ?? ""),
  },
} satisfies Readonly<Record<Layout, unknown>>;

/** The rows of an entry: one in layout entry, `count` in es003. */
export function buildRows(
  entry: ScenarioEntry,
  layout: Layout,
  count: number,
  changedCells: Cells,
): string[][] {
  const cells = buildCells(entry);
  const rows = layout === "entry" ? [{}] : listTariffLines(entry).slice(0, count);
  return rows.map((line): string[] => {
    const row: Cells = { ...cells, ...line, ...changedCells };
    return ROW_LAYOUTS[layout].columns.map((column) => row[column] ?? "");
  });
}

/** `1234.50` */
const formatDollars = (cents: number): string => (cents / 100).toFixed(2);

const formatFlag = (isSet: boolean): string => (isSet ? "Y" : "N");

/** A Section 301 number for goods of China. */
const SECTION_301_NUMBER = "99038815";

const MPF_CENTS = 3_358;

function buildCells({ facts, ...entry }: ScenarioEntry): Cells {
  const { valueCents, baseCents, ieepaCents, section301Cents } = entry;
  // Illustrative: 0.125 % of the value.
  const hmfCents = Math.round(valueCents / 800);
  const chapter99 = [ieepaCents > 0 ? entry.ieepaNumber : "", section301Cents > 0 ? SECTION_301_NUMBER : ""];
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
    hts_number: entry.hts,
    line_description: entry.description,
    chapter_99_numbers: chapter99.filter(Boolean).map(formatChapter99).join(";"),
    entered_value: formatDollars(valueCents),
    base_duty_paid: formatDollars(baseCents),
    ieepa_duty_paid: formatDollars(ieepaCents),
    section_301_duty_paid: formatDollars(section301Cents),
    section_232_duty_paid: "0.00",
    section_122_duty_paid: "0.00",
    mpf_paid: formatDollars(MPF_CENTS),
    hmf_paid: formatDollars(hmfCents),
    total_paid: formatDollars(baseCents + ieepaCents + section301Cents + MPF_CENTS + hmfCents),
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

/** The duty under chapter 99, the goods, then another duty or none: what differs in the rows of an entry in es003. */
function listTariffLines({ hts, ieepaNumber, ...cents }: ScenarioEntry): Cells[] {
  const { valueCents, baseCents, ieepaCents, section301Cents } = cents;
  const third = section301Cents > 0 ? SECTION_301_NUMBER : "99030132";
  const lines: readonly (readonly [number: string, valueCents: number, dutyCents: number])[] = [
    [ieepaNumber, 0, ieepaCents],
    [hts, valueCents, baseCents],
    [third, 0, section301Cents],
    ["99030133", 0, 0],
  ];
  return lines.map(([number, value, duty], index) => ({
    entry_summary_line_number: "1",
    entry_summary_version_number: "1",
    tariff_ordinal_number: String(index + 1),
    hts_number: number,
    entered_value: formatDollars(value),
    line_duty: formatDollars(duty),
  }));
}
