import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { FIELD, type GroupTable, SUM } from "./group-table.ts";

/**
 * Whether a row has no line number and no ordinal, and the duty of the rows of its entry above it: a report writes subtotals below
 * an entry, and its blank cells may be filled down.
 */
export function isSubtotal(table: GroupTable, group: number, row: Row): boolean {
  if (row.entryLine !== null || row.tariffOrdinal !== null) return false;
  const hasSeveralRows =
    table.get(group, FIELD.htsNumber) !== 0 && table.get(group, FIELD.chapter99Numbers) !== 0;
  const ieepaCents = table.sum(group, SUM.ieepaDuty);
  const allCents = ieepaCents + table.sum(group, SUM.baseDuty) + table.sum(group, SUM.otherChapter99Duty);
  const cents = row.amount(AMOUNT_INDEX.line_duty);
  return hasSeveralRows && cents > 0 && (cents === ieepaCents || cents === allCents);
}
