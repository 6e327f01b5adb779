import type { ColumnName } from "../entries/columns.ts";
import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import { formatChapter99 } from "../entries/rules/tariff-number.ts";
import type { EntryDraft } from "./draft.ts";

/** The text of cells by the column's own name in the model. */
export type Cells = Readonly<Partial<Record<ColumnName, string>>>;

/** The text of a column in the first part that has one. Merging them into one object would take most of the time. */
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

const formatFlag = (is: boolean): string => (is ? "Y" : "N");

/** A number of the tariffs on goods of China. */
export const SECTION_301_NUMBER = "99038815";

/** Merchandise processing fee, illustrative: 0.3464 % within its limits. */
const calculateMpf = (cents: number): number =>
  Math.min(65_150, Math.max(3_358, Math.round((cents * 3_464) / 1_000_000)));

/** Harbor maintenance fee: 0.125 %. */
const calculateHmf = (cents: number): number => Math.round((cents * 125) / 100_000);

/** What all rows of an entry have alike. */
export function buildEntryCells(draft: EntryDraft): Cells {
  const { facts: circumstances, goods, importer, number, port, protestNumber, summaryDate } = draft;
  return {
    entry_number: number,
    entry_type_code: circumstances.typeCode,
    importer_number: importer.number,
    importer_name: importer.name,
    port_of_entry_code: port,
    mode_of_transport_code: "11",
    entry_date: formatDay(circumstances.entryDate),
    entry_summary_date: formatDay(summaryDate),
    country_of_origin_code: goods.country,
    liquidation_status: circumstances.liquidationStatus ?? "",
    liquidation_date: formatOptionalDay(circumstances.liquidationDate) ?? "",
    reconciliation_indicator: formatFlag(circumstances.isReconciled),
    drawback_indicator: formatFlag(circumstances.hasDrawback),
    post_summary_correction_indicator: "N",
    protest_number: protestNumber ?? "",
    protest_status: circumstances.protestStatus ?? "",
    protest_decision_date: formatOptionalDay(circumstances.decisionDate) ?? "",
  };
}

/** What the one row of layout entry has beside that. */
export function buildTotalCells({
  goods,
  valueCents,
  baseCents,
  ieepaCents,
  section301Cents,
}: EntryDraft): Cells {
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

/** What the goods row of layout es003 has beside that, before it is written as the report does. */
export const buildGoodsCells = ({ goods, valueCents }: EntryDraft): Cells => ({
  hts_number: goods.hts,
  entered_value: formatDollars(valueCents),
});

/** `2025-12-14` as `12/14/2025`; any other text as it is. */
export const formatUsDate = (text: string): string =>
  text.charAt(4) === "-" ? `${text.slice(5, 7)}/${text.slice(8)}/${text.slice(0, 4)}` : text;

/** `1234.50` as `$1,234.50`. */
export function formatUsAmount(amount: string): string {
  const point = amount.length - 3;
  let text = amount.slice(Math.max(0, point - 3));
  for (let end = point - 3; end > 0; end -= 3) text = `${amount.slice(Math.max(0, end - 3), end)},${text}`;
  return `$${text}`;
}
