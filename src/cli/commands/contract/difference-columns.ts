import type { Difference } from "../../../contract/compare/compare-contracts.ts";
import type { ListColumn } from "../../output/output.ts";

export const DIFFERENCE_COLUMNS: readonly ListColumn<Difference>[] = [
  { name: "effect" },
  { name: "operation" },
  { name: "location" },
  { name: "message", canWrap: true },
];
