import type { Block, Column } from "../../output/output.ts";
import type { Difference } from "./documents.ts";

export const DIFFERENCE_COLUMNS: readonly Column<Difference>[] = [
  { name: "effect", of: ({ effect }) => effect },
  { name: "operation", of: ({ operation }) => operation },
  { name: "place", of: ({ place }) => place || null },
  { name: "what", of: ({ what }) => what, wraps: true },
];

/** Differences as a part of another answer. */
export const differenceTable = (title: string, differences: readonly Difference[]): Block => ({
  kind: "table",
  title,
  columns: DIFFERENCE_COLUMNS.map(({ name }) => ({ name })),
  rows: differences.map(({ effect, operation, place, what }) => [effect, operation, place || null, what]),
});
