import type { Difference } from "../../../contract/compare/difference.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { ListColumn } from "../../output/output.ts";

export const DIFFERENCE_COLUMNS: readonly ListColumn<Difference>[] = [
  { name: "effect" },
  { name: "operation" },
  { name: "location" },
  { name: "message", canWrap: true },
];

export const isBreaking = ({ effect }: Difference): boolean => effect === "breaks";

export function countDifferences(differences: readonly Difference[]): string {
  const real = differences.filter(({ effect }) => effect !== "words");
  if (real.length === 0) return "only descriptions differ";
  return `${formatCount(real.length, "difference")}, of which ${real.filter(isBreaking).length} would break this client`;
}
