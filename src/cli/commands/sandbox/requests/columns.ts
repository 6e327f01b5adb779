import type { LoggedRequest } from "../../../../../sandbox/index.ts";
import { describeRequestNotes } from "../../../../domain/request-notes.ts";
import { hiddenColumns, type ListColumn } from "../../../output/output.ts";

/** Characters of a line that has room for dates. */
const MIN_WIDTH_FOR_DATES = 100;

/** Characters for a path and a note. */
const MAX_FLEXIBLE_WIDTH = 110;

/** @param width characters of a line; 0 where that is unknown */
export const requestColumns = (width: number): readonly ListColumn<LoggedRequest>[] => [
  { name: "number", title: "no.", align: "right", isId: true },
  {
    name: "at",
    title: "time",
    isWhole: true,
    display: ({ at }) => `${at.slice(width > 0 && width < MIN_WIDTH_FOR_DATES ? 11 : 0, 19)}Z`,
  },
  { name: "method" },
  { name: "target", title: "path" },
  { name: "status", align: "right" },
  {
    name: "durationMs",
    title: "ms",
    align: "right",
    isWhole: true,
    display: ({ durationMs }) => durationMs?.toFixed(durationMs < 100 ? 1 : 0) ?? null,
  },
  { name: "note", canWrap: true, value: (request) => describeRequestNotes(request).join("; ") },
  ...hiddenColumns("operation", "requestId"),
];

/** The same columns with fixed widths, so that each request can print as it ends. */
export function followColumns(width: number): readonly ListColumn<LoggedRequest>[] {
  const at = width > 0 && width < MIN_WIDTH_FOR_DATES ? 9 : 20;
  const fixed = { number: 4, at, method: 6, status: 6, durationMs: 6 };
  const fixedWidth = 4 + at + 6 + 6 + 6 + 2 * 6;
  const flexibleWidth = width === 0 ? MAX_FLEXIBLE_WIDTH : Math.min(width - fixedWidth, MAX_FLEXIBLE_WIDTH);
  const target = Math.max(12, Math.round(flexibleWidth * 0.45));
  const note = Math.max(12, flexibleWidth - target);
  const widths: Readonly<Record<string, number>> = { ...fixed, target, note };
  return requestColumns(width).map((column) => ({ ...column, width: widths[column.name] ?? 0 }));
}
