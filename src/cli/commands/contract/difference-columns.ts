import type { Block, ListColumn } from "../../output/output.ts";
import type { Difference } from "./documents.ts";

export const DIFFERENCE_COLUMNS: readonly ListColumn<Difference>[] = [
  { name: "effect" },
  { name: "operation" },
  { name: "location", value: ({ location }) => location || null },
  { name: "message", canWrap: true },
];

/** Differences as a part of another answer. */
export const differenceTable = (title: string, differences: readonly Difference[]): Block => ({
  kind: "table",
  title,
  columns: DIFFERENCE_COLUMNS.map(({ name }) => ({ name })),
  rows: differences.map(({ effect, operation, location, message }) => [
    effect,
    operation,
    location || null,
    message,
  ]),
});
