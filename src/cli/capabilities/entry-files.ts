import { assumed } from "../../contract/labels.ts";
import type { Layout } from "../../domain/entries/entry.ts";
import { listTemplateColumns } from "./entry-template.ts";

export { generateTemplate } from "./entry-template.ts";

/** How a file as a whole is read (diligence-model §1). */
export const ENTRY_FILE_RULES: readonly string[] = [
  "Headings match without case, and with one mark for every run of other characters. Of two names of a column, the column's own name is read. A heading of an amount with %, the sign of a currency other than $, or letters of another alphabet is an unknown column.",
  "A date with slashes is month/day/year. A cell such as 13/10/2026 proves that its column, or one without a proof, may have the day first: the file then has the fault DATE_ORDER_MIXED. It has it too if a spreadsheet may have swapped day and month of all dates as YYYY-MM-DD, because none has a day above 12, or if a cell such as 2026-13-10 proves year-day-month.",
  "Groups of an amount have three digits and a comma or space between them. Anything else, such as a decimal comma, rejects the entry, and amounts such as 1,234 in a file with decimal commas have the fault DECIMAL_COMMA_MIXED. An amount with zeros before it has a decimal point: 0000123450 may be in cents.",
  "An indicator is the first word of its cell: Y, YES, TRUE, T, 1 or X is yes; N, NO, FALSE, F, 0 or blank is no, in any letter case. A cell with both, such as N Y, rejects the entry.",
  "In es003, the same line number and tariff ordinal again rejects the entry; 1, 01 and 1.0 are the same number. Where one of two rows lacks one of them, the rows repeat if they mean the same, however they are written.",
  "In es003, rows of one entry have one version of the entry summary, and any yes puts the entry on a drawback claim.",
  "In es003, a row with a tariff number and no entry number belongs to the entry above, which is rejected.",
  "White space and dashes of a word processor are dropped from an entry number, and no-break spaces from an amount. Characters that no one sees are never dropped: the message names them.",
  "`check` exits 5 for a file with a fault that stops a submission, and `submit` and `batch` send it only with --check off. The sandbox accepts it, and its review is at most conditional.",
];

/** The columns of a layout; the interface shows none. */
export const listEntryColumns = (layout: Layout) =>
  listTemplateColumns(layout).map((column) => ({ ...column, ...assumed("submit.file") }));
