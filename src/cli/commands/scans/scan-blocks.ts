import { readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Block, Cell } from "../../output/output.ts";
import { formatMoney, toRecordCard, toRecordsTable } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";

/** Lines of a table of changes that a person is shown. */
const MAX_SHOWN_CHANGES = 20;

/** A scan, and below it the entries that are not as they were, kind by kind. */
export function scanBlocks({ changes, ...scan }: ServiceRecord, id: string | null): readonly Block[] {
  const kinds = isRecord(changes) ? Object.entries(changes) : [];
  return [
    toRecordCard(scan, ["Scan", id].filter(Boolean).join(" ")),
    ...kinds.flatMap(([kind, list]) => {
      const entries = Array.isArray(list) ? list.filter(isRecord) : [];
      return entries.length === 0 ? [] : [changesTable(kind, entries)];
    }),
    ...(id === null ? [] : [nextSteps(id, categorizeState(readJobProgress(scan).state) === "pending")]),
  ];
}

/** A summary, or a baseline, is what has ended. */
const nextSteps = (id: string, isPending: boolean): Block => ({
  kind: "paragraph",
  title: "Next",
  isAdvice: true,
  lines: isPending
    ? [`  claims scans get ${quoteId(id)}`]
    : [`  claims scans summary ${quoteId(id)}`, `  claims scans delta ${quoteId(id)}`],
});

function changesTable(kind: string, entries: readonly ServiceRecord[]): Block {
  const many = entries.length > MAX_SHOWN_CHANGES;
  const shown = many ? `${MAX_SHOWN_CHANGES} of ${entries.length}` : entries.length;
  return {
    kind: "table",
    title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} (${shown})`,
    columns: [
      { name: "entry" },
      { name: "was" },
      { name: "is" },
      { name: "duty", align: "right" },
      { name: "deadline" },
      { name: "fields" },
    ],
    rows: entries.map(({ entryNumber, before, after, changedFields }) => {
      const was: ServiceRecord = isRecord(before) ? before : {};
      const is: ServiceRecord = isRecord(after) ? after : {};
      const current = isRecord(after) ? is : was;
      return [
        toCell(entryNumber),
        toCell(was.classification),
        toCell(is.classification),
        formatMoney(current.ieepaDutyCents),
        toCell(current.nextDeadline),
        Array.isArray(changedFields) ? changedFields.join(", ") : null,
      ];
    }),
    maxRows: MAX_SHOWN_CHANGES,
  };
}

const toCell = (value: unknown): Cell =>
  typeof value === "string" || typeof value === "number" ? value : null;

/** The totals of a scan. */
export function summaryBlocks(
  { totals, byGrade, changes, ...scan }: ServiceRecord,
  id: string,
): readonly Block[] {
  const grades = toRecordsTable("By grade", byGrade, "grade");
  const others = Object.entries({ totals, byGrade, changes }).filter(
    ([, value]) => value !== undefined && value !== null && !isRecord(value),
  );
  return [
    toRecordCard({ ...scan, ...Object.fromEntries(others) }, `Scan ${id}`),
    ...(isRecord(totals) ? [toRecordCard(totals, "Totals")] : []),
    ...(grades ? [grades] : []),
    ...(isRecord(changes) ? [toRecordCard(changes, "Since the baseline")] : []),
  ];
}
