import codes from "./codes.json" with { type: "json" };
import countries from "./countries.json" with { type: "json" };
import type { LiquidationStatus, ProtestStatus } from "./entry.ts";

// Answers come from these tables, not from the cell: a code kept from a cell would be a new string a row.
const entryTypes = new Map(codes.entryTypes.map((code) => [code, code]));
const countryCodes = new Map(countries.codes.map((code) => [code, code]));
const protestStatuses = new Map(codes.protestStatuses.map((code) => [code, code as ProtestStatus]));
const liquidationStatuses = new Map(
  Object.entries(codes.liquidationStatuses).flatMap(([status, words]) =>
    words.map((word) => [word, status as LiquidationStatus] as const),
  ),
);

/** A two-digit entry type code. */
export function findEntryType(code: string): string | undefined {
  return entryTypes.get(code);
}

export function findCountry(code: string): string | undefined {
  return countryCodes.get(code);
}

/** Any letter case, any of the model's words. */
export function findLiquidationStatus(word: string): LiquidationStatus | undefined {
  return liquidationStatuses.get(word.toLowerCase());
}

export function findProtestStatus(word: string): ProtestStatus | undefined {
  return protestStatuses.get(word.toUpperCase());
}
