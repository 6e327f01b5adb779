import type { LoggedRequest } from "../../../../../sandbox/index.ts";
import { describeRequestNotes } from "../../../../domain/request-notes.ts";
import type { ListColumn } from "../../../output/output.ts";

/** Characters that a line needs to have room for dates. */
const MIN_WIDTH_FOR_DATES = 100;

/**
 * Columns of a list of requests.
 *
 * @param width characters of a line; 0 where that is unknown
 */
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
  { name: "unusual", title: "note", canWrap: true, value: (entry) => describeRequestNotes(entry).join("; ") },
  { name: "operation", isHidden: true },
  { name: "requestId", isHidden: true },
];

/** The same of fixed widths, so that a request can be shown as it comes. */
export function followColumns(width: number): readonly ListColumn<LoggedRequest>[] {
  const time = width > 0 && width < MIN_WIDTH_FOR_DATES ? 9 : 20;
  const fixedWidth = 4 + time + 6 + 6 + 6 + 2 * 6;
  const flexibleWidth = width === 0 ? MAX_FLEXIBLE_WIDTH : Math.min(width - fixedWidth, MAX_FLEXIBLE_WIDTH);
  const target = Math.max(12, Math.round(flexibleWidth * 0.45));
  const widths: Readonly<Record<string, number>> = {
    ...{ number: 4, at: time, method: 6, target, status: 6, durationMs: 6 },
    unusual: Math.max(12, flexibleWidth - target),
  };
  return requestColumns(width).map((column) => ({ ...column, width: widths[column.name] ?? 0 }));
}

/** Characters for a path and a note. */
const MAX_FLEXIBLE_WIDTH = 110;
