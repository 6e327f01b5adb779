import type { ColumnName } from "../entries/columns.ts";
import {
  type Cells,
  findCellText,
  formatDollars,
  formatUsAmount,
  formatUsDate,
  SECTION_301_NUMBER,
} from "./cells.ts";
import type { ScenarioEntry } from "./draft.ts";

/** The columns of es003 that are not in the model. */
type RowColumn = "line_number" | "tariff_ordinal";

const TITLES = {
  entry_number: "Entry Summary Number",
  line_number: "Entry Summary Line Number",
  entry_type_code: "Entry Type Code",
  importer_number: "Importer Number",
  importer_name: "Importer Name",
  port_of_entry_code: "Port of Entry Code",
  entry_date: "Entry Date",
  entry_summary_date: "Entry Summary Date",
  country_of_origin_code: "Country of Origin Code",
  tariff_ordinal: "Tariff Ordinal Number",
  hts_number: "HTS Number - Full",
  entered_value: "Line Tariff Goods Value Amount",
  line_duty: "Line Tariff Duty Amount",
  liquidation_status: "Liquidation Status",
  liquidation_date: "Liquidation Date",
  reconciliation_indicator: "Reconciliation Indicator",
  drawback_indicator: "Drawback Indicator",
  protest_number: "Protest Number",
  protest_status: "Protest Status",
  protest_decision_date: "Protest Decision Date",
} as const satisfies Partial<Record<ColumnName | RowColumn, string>>;

const COLUMNS = Object.keys(TITLES) as (keyof typeof TITLES)[];

export const ES003_COLUMNS: readonly string[] = COLUMNS;
export const ES003_HEADER: readonly string[] = Object.values(TITLES);

/** The formats of the ACE report. */
const CELL_FORMATS: Readonly<Partial<Record<string, (text: string) => string>>> = {
  entry_date: formatUsDate,
  entry_summary_date: formatUsDate,
  liquidation_date: formatUsDate,
  protest_decision_date: formatUsDate,
  liquidation_status: titleCase,
  protest_status: titleCase,
};

/** `NOT_LIQUIDATED` → `Not Liquidated`. */
function titleCase(code: string): string {
  return code
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(" ");
}

/**
 * The rows of an entry: the duty under chapter 99, the goods, then other duties and lines without duty.
 *
 * @param count at least two
 */
export function buildEs003Rows(
  draft: ScenarioEntry,
  count: number,
  cells: Cells,
  changes: { readonly inAll: Cells; readonly inGoods: Cells },
): string[][] {
  return buildTariffLines(draft, count).map(({ hts, valueCents, dutyCents }, index) => {
    const line = {
      line_number: "1",
      tariff_ordinal: String(index + 1),
      hts_number: hts,
      entered_value: formatUsAmount(formatDollars(valueCents)),
      line_duty: formatUsAmount(formatDollars(dutyCents)),
    };
    const parts = [hts === draft.goods.hts ? changes.inGoods : changes.inAll, line, cells];
    return COLUMNS.map((column) => {
      const text = findCellText(parts, column);
      return CELL_FORMATS[column]?.(text) ?? text;
    });
  });
}

interface TariffLine {
  readonly hts: string;
  readonly valueCents: number;
  readonly dutyCents: number;
}

/** Numbers of the voided tariffs without duty. */
const EXEMPT_NUMBERS = ["99030132", "99030133"] as const;

function buildTariffLines(draft: ScenarioEntry, count: number): TariffLine[] {
  const { goods, valueCents, baseCents, ieepaCents, section301Cents } = draft;
  const chapter99 = (hts: string, dutyCents: number): TariffLine => ({ hts, valueCents: 0, dutyCents });
  return [
    chapter99(goods.ieepa, ieepaCents),
    { hts: goods.hts, valueCents, dutyCents: baseCents },
    chapter99(section301Cents > 0 ? SECTION_301_NUMBER : EXEMPT_NUMBERS[0], section301Cents),
    chapter99(EXEMPT_NUMBERS[1], 0),
  ].slice(0, count);
}
