import { formatCount } from "../numbers.ts";
import type { FileWarning } from "./file-warnings.ts";
import type { WarningCode } from "./rules/warnings.ts";

/** What it may mean for a file that most of its entries carry a warning. */
const CAUSES = {
  DUTY_ABOVE_TOTAL:
    "an IEEPA duty above the total. Look whether a column is the wrong one, or in another unit",
  SUMMARY_DATE_IMPLAUSIBLE:
    "a summary date before the entry date or more than 60 days after it. Look whether day and month are swapped in one of the columns, or the columns with each other",
} satisfies Partial<Record<WarningCode, string>>;

/** About warnings that more than half of the accepted entries carry. @param counts by code */
export function warnAboutFrequent(counts: Partial<Record<string, number>>, accepted: number): FileWarning[] {
  return Object.entries(CAUSES).flatMap(([code, cause]): FileWarning[] => {
    const entries = counts[code] ?? 0;
    if (entries * 2 <= accepted) return [];
    const detail = `${formatCount(entries, "entry has", "entries have")} ${cause}.`;
    return [{ code: "ENTRIES_IMPLAUSIBLE", severity: "warn", detail, entries }];
  });
}
