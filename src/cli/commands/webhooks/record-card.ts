import type { Card } from "../../output/output.ts";
import type { Item } from "../../paged-list.ts";

/** The fields of a record under the names that the service uses. */
export const recordCard = (record: Item, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: Object.entries(record).map(([name, value]) => [name, cellOf(value)] as const),
});

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
