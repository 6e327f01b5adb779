import { readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { isRecord, valueAt } from "../../../domain/json.ts";
import { formatCellText } from "../../output/cell-text.ts";
import { toTable } from "../../output/create-blocks.ts";
import type { Block, ListColumn } from "../../output/output.ts";
import { formatMoney, toRecordCard, toRecordsTable } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";

const MAX_SHOWN_CHANGES = 20;

/** A scan, and a table for each kind of change. */
export function scanBlocks({ changes, ...scan }: ServiceRecord, id: string | null): readonly Block[] {
  const kinds = isRecord(changes) ? Object.entries(changes) : [];
  return [
    toRecordCard("scan", scan, ["Scan", id].filter(Boolean).join(" ")),
    ...kinds.flatMap(([kind, list]) => {
      const entries = Array.isArray(list) ? list.filter(isRecord) : [];
      return entries.length === 0 ? [] : [changesTable(kind, entries)];
    }),
    ...(id === null ? [] : [nextSteps(id, categorizeState(readJobProgress(scan).state) === "pending")]),
  ];
}

const nextSteps = (id: string, isPending: boolean): Block => ({
  kind: "paragraph",
  title: "Next",
  isAdvice: true,
  lines: (isPending ? ["get"] : ["summary", "delta"]).map((verb) => `  claims scans ${verb} ${quoteId(id)}`),
});

function changesTable(kind: string, entries: readonly ServiceRecord[]): Block {
  const many = entries.length > MAX_SHOWN_CHANGES;
  const shown = many ? `${MAX_SHOWN_CHANGES} of ${entries.length}` : entries.length;
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} (${shown})`;
  return toTable({
    section: kind,
    title,
    columns: CHANGE_COLUMNS,
    items: entries,
    maxRows: MAX_SHOWN_CHANGES,
  });
}

/** A removed entry has no state after the change: its last amounts are those before. */
const latest = ({ before, after }: ServiceRecord, name: string) =>
  valueAt(isRecord(after) ? after : before, name);

const CHANGE_COLUMNS: readonly ListColumn<ServiceRecord>[] = [
  { name: "entryNumber", title: "entry" },
  { name: "was", value: ({ before }) => valueAt(before, "classification") },
  { name: "is", value: ({ after }) => valueAt(after, "classification") },
  {
    name: "duty",
    align: "right",
    value: (change) => latest(change, "ieepaDutyCents"),
    display: (change) => formatMoney(latest(change, "ieepaDutyCents")),
  },
  { name: "deadline", value: (change) => latest(change, "nextDeadline") },
  {
    name: "fields",
    value: ({ changedFields: names }) => (Array.isArray(names) ? names.map(formatCellText).join(", ") : null),
  },
];

export function summaryBlocks({ totals, byGrade, changes, ...scan }: ServiceRecord, id: string) {
  const grades = toRecordsTable("byGrade", "By grade", byGrade, "grade");
  const others = Object.entries({ totals, byGrade, changes }).filter(
    ([, value]) => value !== undefined && value !== null && !isRecord(value),
  );
  return [
    toRecordCard("scan", { ...scan, ...Object.fromEntries(others) }, `Scan ${id}`),
    ...(isRecord(totals) ? [toRecordCard("totals", totals, "Totals")] : []),
    ...(grades ? [grades] : []),
    ...(isRecord(changes) ? [toRecordCard("changes", changes, "Since the baseline")] : []),
  ];
}
