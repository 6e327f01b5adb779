import type { ColumnName } from "../entries/columns.ts";
import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import { formatChapter99 } from "../entries/rules/tariff-number.ts";
import type { ScenarioEntry } from "./draft.ts";

/** Column name in the model → text. */
export type Cells = Readonly<Partial<Record<ColumnName, string>>>;

/** The text of a column in the first part that has it. Merging the parts would take most of the time. */
export function findCellText(parts: readonly Readonly<Record<string, string>>[], column: string): string {
  for (const part of parts) {
    const text = part[column];
    if (text !== undefined) return text;
  }
  return "";
}

/** `1234.50`. */
export function formatDollars(cents: number): string {
  const text = String(cents).padStart(3, "0");
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

const formatFlag = (isSet: boolean): string => (isSet ? "Y" : "N");

/** A Section 301 number for goods of China. */
export const SECTION_301_NUMBER = "99038815";

/** Merchandise processing fee, illustrative: 0.3464 % within limits. */
const calculateMpf = (cents: number): number =>
  Math.min(65_150, Math.max(3_358, Math.round((cents * 3_464) / 1_000_000)));

/** Harbor maintenance fee: 0.125 %. */
const calculateHmf = (cents: number): number => Math.round((cents * 125) / 100_000);

/** The cells that all rows of an entry share. */
export function buildEntryCells(draft: ScenarioEntry): Cells {
  const { facts, goods, importer, number, port, protestNumber, summaryDate } = draft;
  return {
    entry_number: number,
    entry_type_code: facts.typeCode,
    importer_number: importer.number,
    importer_name: importer.name,
    port_of_entry_code: port,
    mode_of_transport_code: "11",
    entry_date: formatDay(facts.entryDate),
    entry_summary_date: formatDay(summaryDate),
    country_of_origin_code: goods.country,
    liquidation_status: facts.liquidationStatus ?? "",
    liquidation_date: formatOptionalDay(facts.liquidationDate) ?? "",
    reconciliation_indicator: formatFlag(facts.isReconciled),
    drawback_indicator: formatFlag(facts.hasDrawback),
    post_summary_correction_indicator: "N",
    protest_number: protestNumber ?? "",
    protest_status: facts.protestStatus ?? "",
    protest_decision_date: formatOptionalDay(facts.decisionDate) ?? "",
  };
}

/** The other cells of a row of layout entry. */
export function buildTotalCells({
  goods,
  valueCents,
  baseCents,
  ieepaCents,
  section301Cents,
}: ScenarioEntry): Cells {
  const mpf = calculateMpf(valueCents);
  const hmf = calculateHmf(valueCents);
  const chapter99 = [
    ...(ieepaCents > 0 ? [goods.ieepa] : []),
    ...(section301Cents > 0 ? [SECTION_301_NUMBER] : []),
  ];
  return {
    hts_number: goods.hts,
    line_description: goods.text,
    chapter_99_numbers: chapter99.map(formatChapter99).join(";"),
    entered_value: formatDollars(valueCents),
    base_duty_paid: formatDollars(baseCents),
    ieepa_duty_paid: formatDollars(ieepaCents),
    section_301_duty_paid: formatDollars(section301Cents),
    section_232_duty_paid: "0.00",
    section_122_duty_paid: "0.00",
    mpf_paid: formatDollars(mpf),
    hmf_paid: formatDollars(hmf),
    total_paid: formatDollars(baseCents + ieepaCents + section301Cents + mpf + hmf),
  };
}

/** The other cells of a goods row of layout es003, before formatting. */
export const buildGoodsCells = ({ goods, valueCents }: ScenarioEntry): Cells => ({
  hts_number: goods.hts,
  entered_value: formatDollars(valueCents),
});

/** `2025-12-14` → `12/14/2025`; keeps other text. */
export const formatUsDate = (text: string): string =>
  text.charAt(4) === "-" ? `${text.slice(5, 7)}/${text.slice(8)}/${text.slice(0, 4)}` : text;

/** `1234.50` → `$1,234.50`. */
export function formatUsAmount(amount: string): string {
  const point = amount.length - 3;
  let text = amount.slice(Math.max(0, point - 3));
  for (let end = point - 3; end > 0; end -= 3) text = `${amount.slice(Math.max(0, end - 3), end)},${text}`;
  return `$${text}`;
}
