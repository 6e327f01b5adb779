import type { WarningCode } from "../entries/entry.ts";
import type { CellChange } from "./cell-change.ts";
import { type Cells, formatUsAmount, formatUsDate } from "./cells.ts";

const DATES = ["entry_date", "entry_summary_date", "liquidation_date"] as const;

/** What a spreadsheet or a broker's export makes of cells, and the reader repairs (diligence-model §1). */
const REPAIRS: Readonly<Record<WarningCode, CellChange>> = {
  AMOUNT_FORMATTED: {
    in: "goods row",
    cells: ({ cells }) => ({ entered_value: formatUsAmount(cells.entered_value ?? "") }),
  },
  DATE_US_FORMAT: { cells: ({ cells }) => formatUsDates(cells) },
  ENTRY_NUMBER_REPAIRED: {
    cells: ({ cells: { entry_number: number = "" } }) => ({
      entry_number: `${number.slice(0, 3).toLowerCase()} ${number.slice(3, 10)} ${number.slice(10)}`,
    }),
  },
  HTS_NORMALISED: {
    in: "goods row",
    cells: ({ cells: { hts_number: hts = "" } }) => ({
      hts_number: `${hts.slice(0, 4)}.${hts.slice(4, 6)}.${hts.slice(6)}`,
    }),
  },
  LEADING_ZERO_RESTORED: { cells: () => ({ entry_type_code: "1" }) },
};

export const REPAIRABLE_CHANGES: readonly CellChange[] = Object.values(REPAIRS);

const formatUsDates = (cells: Cells): Cells =>
  Object.fromEntries(DATES.map((column) => [column, formatUsDate(cells[column] ?? "")]));
