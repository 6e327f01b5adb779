import type { CsvCell } from "../csv/csv-cell.ts";
import type { LiquidationStatus, ProtestStatus } from "../entry.ts";
import codes from "./codes.json" with { type: "json" };
import countries from "./countries.json" with { type: "json" };

const ZERO = 0x30;

// Answers come from these tables, not from the cell: a code kept from a cell would be a new string a row.
const entryTypes = indexByPair(codes.entryTypes);
const countryCodes = indexByPair(countries.codes);
const protestStatuses = new Map(codes.protestStatuses.map((code) => [code, code as ProtestStatus]));
const liquidationStatuses = new Map(
  Object.entries(codes.liquidationStatuses).flatMap(([status, words]) =>
    words.map((word) => [word, status as LiquidationStatus] as const),
  ),
);

/** An entry type code; one digit stands for two. */
export function findEntryType(cell: CsvCell): string | undefined {
  if (cell.length === 1) return entryTypes.get(toPairKey(ZERO, cell.unitAt(0)));
  return findPair(entryTypes, cell);
}

export function findCountry(cell: CsvCell): string | undefined {
  return findPair(countryCodes, cell);
}

/** Codes of two characters by their units, so that no cell becomes a string to be looked up. */
function indexByPair(all: readonly string[]): ReadonlyMap<number, string> {
  return new Map(all.map((code) => [toPairKey(code.charCodeAt(0), code.charCodeAt(1)), code]));
}

function findPair(table: ReadonlyMap<number, string>, cell: CsvCell): string | undefined {
  return cell.length === 2 ? table.get(toPairKey(cell.unitAt(0), cell.unitAt(1))) : undefined;
}

function toPairKey(first: number, second: number): number {
  return first * 0x10000 + second;
}

/** Any letter case, any of the model's words. */
export function findLiquidationStatus(word: string): LiquidationStatus | undefined {
  return liquidationStatuses.get(word.toLowerCase());
}

export function findProtestStatus(word: string): ProtestStatus | undefined {
  return protestStatuses.get(word.toUpperCase());
}
