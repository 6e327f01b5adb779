import data from "./columns.json" with { type: "json" };
import type { Layout } from "./entry.ts";

export type AmountColumn = keyof typeof data.amounts;
export type ColumnName = keyof typeof data.identification | AmountColumn | keyof typeof data.status;

/** A known column of an entry file. */
export interface Column {
  readonly name: ColumnName;
  /** The bit of this column in masks such as `Row.parsedColumns`. */
  readonly bit: number;
  /** Normalised header texts in order of precedence. The first is the name of the column. */
  readonly headers: readonly string[];
  readonly requiredIn: readonly Layout[];
  /** Set when the other layout does not know the column. */
  readonly onlyIn: Layout | null;
}

interface ColumnData {
  readonly synonyms?: readonly string[];
  readonly requiredIn?: readonly string[];
  readonly onlyIn?: string;
}

const columns: Readonly<Record<ColumnName, ColumnData>> = {
  ...data.identification,
  ...data.amounts,
  ...data.status,
};

export const COLUMNS: readonly Column[] = Object.entries(columns).map(
  ([name, { synonyms = [], requiredIn = [], onlyIn = null }], index) => ({
    name: name as ColumnName,
    bit: 1 << index,
    headers: [name, ...synonyms].map(normaliseHeader),
    requiredIn: requiredIn as Layout[],
    onlyIn: onlyIn as Layout | null,
  }),
);

export const AMOUNT_COLUMNS = Object.keys(data.amounts) as readonly AmountColumn[];

/** Headers that together make a file an ES-003 export. */
export const ES003_MARKERS: readonly string[] = data.es003Markers.map(normaliseHeader);

export const columnBit = (name: ColumnName): number =>
  COLUMNS.find((column) => column.name === name)?.bit ?? 0;

/** The form in which header texts are compared (diligence-model §1): `Entry Number` becomes `entry_number`. */
export function normaliseHeader(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
}
