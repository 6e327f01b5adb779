import type { CsvCell } from "../csv/csv-cell.ts";
import { codes } from "./codes.ts";

export type LiquidationStatus = keyof typeof codes.liquidationStatuses;

export type ProtestStatus = "OPEN" | "SUSPENDED" | "DENIED" | "ALLOWED";

const ZERO = 0x30;

// These tables return their own strings: a code cut out of a cell would be a new string in each row.
const entryTypes = indexByPair(codes.entryTypes);
const countryCodes = indexByPair(codes.countries.join(" "));
const protestStatuses = new Map(codes.protestStatuses.map((code) => [code, code as ProtestStatus]));
const liquidationStatuses = new Map(
  Object.entries(codes.liquidationStatuses).flatMap(([status, words]) =>
    words.map((word) => [word, status as LiquidationStatus] as const),
  ),
);

/** Finds an entry type code. One digit gets a leading zero. */
export function findEntryType(cell: CsvCell): string | undefined {
  if (cell.length === 1) return entryTypes.get(toPairKey(ZERO, cell.unitAt(0)));
  return findPair(entryTypes, cell);
}

export const findCountry = (cell: CsvCell): string | undefined => findPair(countryCodes, cell);

/** Indexes codes of two characters by their units, so that a look-up makes no string of the cell. */
function indexByPair(list: string): ReadonlyMap<number, string> {
  return new Map(list.split(" ").map((code) => [toPairKey(code.charCodeAt(0), code.charCodeAt(1)), code]));
}

const findPair = (table: ReadonlyMap<number, string>, cell: CsvCell): string | undefined =>
  cell.length === 2 ? table.get(toPairKey(cell.unitAt(0), cell.unitAt(1))) : undefined;

function toPairKey(first: number, second: number): number {
  return first * 0x10000 + second;
}

export const findLiquidationStatus = (word: string): LiquidationStatus | undefined =>
  liquidationStatuses.get(word.toLowerCase());

export const findProtestStatus = (word: string): ProtestStatus | undefined =>
  protestStatuses.get(word.toUpperCase());
