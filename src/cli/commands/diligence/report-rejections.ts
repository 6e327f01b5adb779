import type { Report } from "../../../contract/operations/diligence.ts";
import { groupBy } from "../../../domain/group-by.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { joinFirst } from "../../../domain/text.ts";
import { type Block, type Card, toTable } from "../../output/output.ts";

/** Of the reasons, with so many of the columns and rows of each. */
const MAX_SHOWN_REASONS = 3;
const MAX_SHOWN_PLACES = 2;

type Rejected = Pick<Report, "rejections" | "totals">;

const listRejections = ({ rejections }: Rejected) =>
  rejections.flatMap(({ line, entryNumber, errors }) =>
    errors.map(({ code, column, detail, line: own = line }) => ({
      line: own,
      entryNumber,
      column,
      reason: `${code}: ${detail}`,
    })),
  );

/** A reason is equal to another but for the cell and the numbers that it names. */
const toReasonKey = ({ reason }: { reason: string }): string =>
  reason.replace(/ Found: ".*$/s, "").replace(/\d+/g, "0");

/** Each reason once, the most frequent first, with its first rows. */
export function rejectionReasons(report: Rejected): Card {
  const groups = [...groupBy(listRejections(report), toReasonKey).values()].sort(
    (one, other) => other.length - one.length,
  );
  const rows = groups.slice(0, MAX_SHOWN_REASONS).map((items) => {
    const columns = [...new Set(items.map(({ column }) => column).filter(Boolean))];
    const place = columns.length === 0 ? "On" : `In ${joinFirst(columns, MAX_SHOWN_PLACES)}:`;
    const lines = items.map(({ line, entryNumber }) =>
      entryNumber ? `${line} (${entryNumber})` : `${line}`,
    );
    const where = `${place} line${lines.length === 1 ? "" : "s"} ${joinFirst(lines, MAX_SHOWN_PLACES)}`;
    return [formatCount(items.length, "row"), `${items[0]?.reason} ${where}`] as const;
  });
  const left = groups.length - rows.length;
  const more = `${formatCount(left, "more reason")} with -v`;
  const title = "Rejected entries";
  return { kind: "card", section: "rejections", title, rows: left > 0 ? [...rows, ["…", more]] : rows };
}

/** Each rejected row that the report has. */
export function rejectionBlocks(report: Rejected): Block[] {
  const {
    rejections,
    totals: { entriesRejected },
  } = report;
  const table = toTable({
    section: "rejections",
    title: "Rejected entries",
    columns: [
      { name: "line", align: "right" },
      { name: "entryNumber", title: "entry" },
      { name: "column" },
      { name: "reason" },
    ],
    items: listRejections(report),
  });
  // The report lists at most some thousand of them.
  const more = rejections.length === 0 ? 0 : entriesRejected - rejections.length;
  const line = `… and ${formatThousands(more)} more; check --rejected-csv FILE writes them all`;
  return more > 0 ? [table, { kind: "paragraph", isAdvice: true, lines: [line] }] : [table];
}
