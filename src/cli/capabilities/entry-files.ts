import { assumed } from "../../contract/labels.ts";
import { each } from "../../domain/each.ts";
import { AMOUNT_COLUMNS, type ColumnName, findColumn } from "../../domain/entries/columns.ts";
import type { Layout } from "../../domain/entries/entry.ts";
import { RandomNumbers } from "../../domain/random-numbers.ts";
import { draftEntry, FIRST_AS_OF } from "../../domain/scenarios/draft.ts";
import { buildRows, ROW_LAYOUTS } from "../../domain/scenarios/rows.ts";
import { generateScenarioFile } from "../../domain/scenarios/scenario-file.ts";

/** How a file as a whole is read (diligence-model §1). */
export const ENTRY_FILE_RULES: readonly string[] = [
  "Headings match without case, and with one mark for every run of other characters. Of two names of a column, the column's own name is read. A heading of an amount with %, the sign of a currency other than $, or letters of another alphabet is an unknown column.",
  "A date with slashes is month/day/year. A cell such as 13/10/2026 proves that its column, or one without a proof, may have the day first: the file then has the fault DATE_ORDER_MIXED. It has it too if a spreadsheet may have swapped day and month of all dates as YYYY-MM-DD, because none has a day above 12, or of those dates with slashes that alone have, or lack, a zero before a single digit, or if a cell such as 2026-13-10 proves year-day-month.",
  "Groups of an amount have three digits and a comma or space between them. Anything else, such as a decimal comma, rejects the entry, and amounts such as 1,234 in a file with decimal commas have the fault DECIMAL_COMMA_MIXED. An amount with zeros before it has a decimal point: 0000123450 may be in cents.",
  "An indicator is the first word of its cell: Y, YES, TRUE, T, 1 or X is yes; N, NO, FALSE, F, 0 or blank is no, in any letter case. A cell with both, such as N Y, rejects the entry.",
  "In es003, the same line number and tariff ordinal again rejects the entry; 1, 01 and 1.0 are the same number. Where one of two rows lacks one of them, the rows repeat if they mean the same, however they are written.",
  "In es003, rows of one entry have one version of the entry summary, and any yes puts the entry on a drawback claim.",
  "In es003, a row with a tariff number and no entry number belongs to the entry above, which is rejected.",
  "White space and dashes of a word processor are dropped from an entry number, and no-break spaces from an amount. Characters that no one sees are never dropped: the message names them.",
  "`check` exits 5 for a file with a fault that stops a submission, and `submit` and `batch` send it only with --check off. The sandbox accepts it, and its review is at most conditional.",
];

/** A file of one entry with all columns of the layout. The second row of es003 is the goods, the first their duty. */
export const generateTemplate = (layout: Layout): Iterable<Uint8Array> =>
  generateScenarioFile({
    scenario: "clean",
    rows: layout === "entry" ? 1 : 2,
    layout,
    // No file of `sandbox csv` has this seed, so that an example that was left in a file is known.
    seed: -1,
    asOf: FIRST_AS_OF,
  });

/** The columns of a layout; the interface shows none. */
export function listEntryColumns(layout: Layout) {
  const context = { asOf: FIRST_AS_OF, firstSerial: 1, random: RandomNumbers.fromKey(layout) };
  const entry = draftEntry(0, { classification: "unliquidated" }, context);
  const example = buildRows(entry, layout, 2, {}).at(-1) ?? [];
  return ROW_LAYOUTS[layout].columns.map((name, index) => {
    const { aliases = [], requiredIn = [], es003Heading = null } = findColumn(name) ?? {};
    const format = COLUMN_FORMATS[name];
    return {
      column: name,
      /** Its heading in the ACE report ES-003; null if the report has no such column. */
      es003Heading,
      required: requiredIn.includes(layout),
      format: format.format,
      example: example[index] || (format.example ?? ""),
      /** Other headings, in the form of comparison. */
      alsoAccepted: aliases.slice(1),
      ...assumed("submit.file"),
    };
  });
}

interface ColumnFormat {
  readonly format: string;
  /** For a column that may be blank. */
  readonly example?: string;
}

const DATE = "YYYY-MM-DD or M/D/YYYY";
const MONEY = "1234.50, at most 11 digits and two decimals; $ and thousands commas are allowed";
const FLAG = "Y or N (also YES, TRUE, T, 1, X; NO, FALSE, F, 0); blank: N";

/** How a cell of each column is written (diligence-model §1). */
const COLUMN_FORMATS: Readonly<Record<ColumnName, ColumnFormat>> = {
  ...each(() => ({ format: MONEY }), ...AMOUNT_COLUMNS),
  total_paid: { format: `${MONEY}; with all seven parts, their sum` },
  entry_number: { format: "3 characters of filer code, 7 digits, 1 check digit; dashes are allowed" },
  entry_summary_line_number: { format: "a number; with the tariff ordinal, it shows repeated rows" },
  entry_summary_version_number: { format: "a number; the rows of an entry have one version" },
  entry_type_code: { format: "two digits, as in 01" },
  importer_number: { format: "NN-NNNNNNN with an optional suffix, NNN-NN-NNNN or NNNNNN-NNNNN" },
  importer_name: { format: "text" },
  port_of_entry_code: { format: "4 digits" },
  mode_of_transport_code: { format: "text" },
  entry_date: { format: `${DATE}, not after the date of the submission` },
  entry_summary_date: { format: `${DATE}; interest starts here; blank: the entry date` },
  country_of_origin_code: { format: "two letters of ISO 3166-1" },
  tariff_ordinal_number: { format: "a number" },
  hts_number: { format: "8 or 10 digits; dots are allowed" },
  line_description: { format: "text" },
  chapter_99_numbers: { format: "99 and 6 or 8 digits each, separated by ;" },
  liquidation_status: { format: "NOT_LIQUIDATED, LIQUIDATED, SUSPENDED, EXTENDED or UNDER_REVIEW" },
  liquidation_date: { format: `${DATE}; required if the status is LIQUIDATED`, example: "2026-10-30" },
  reconciliation_indicator: { format: FLAG },
  drawback_indicator: { format: FLAG },
  post_summary_correction_indicator: { format: "text; not judged", example: "N" },
  protest_number: { format: "text", example: "270426123456" },
  protest_status: { format: "OPEN, SUSPENDED, DENIED, ALLOWED or blank", example: "DENIED" },
  protest_decision_date: {
    format: `${DATE}; a summons is possible for 180 days after it`,
    example: "2026-11-02",
  },
};
