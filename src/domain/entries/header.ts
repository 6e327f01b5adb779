import { COLUMNS, type ColumnName, type EntryColumn, ES003_MARKERS, normaliseHeader } from "./columns.ts";
import { copyText } from "./csv/copy-text.ts";
import type { Layout } from "./entry.ts";
import { EntryFileError } from "./entry-file-error.ts";

export type FileWarningCode = "LIQUIDATION_COLUMNS_ABSENT";

export interface LocatedColumn extends EntryColumn {
  readonly index: number;
  readonly isRequired: boolean;
}

/** An unknown column. Its cells go to `extra` under `name`. */
export interface ExtraColumn {
  readonly name: string;
  readonly index: number;
}

export interface Header {
  readonly layout: Layout;
  /** The number of cells that every record must have. */
  readonly width: number;
  readonly columns: readonly LocatedColumn[];
  readonly extras: readonly ExtraColumn[];
  readonly fileWarnings: readonly FileWarningCode[];
}

/** Reads the header record. Throws DELIMITER_UNSUPPORTED, HEADER_DUPLICATE or REQUIRED_COLUMN_MISSING. */
export function readHeader(cells: readonly string[]): Header {
  checkDelimiter(cells);
  const names = cells.map(normaliseHeader);
  const layout: Layout = ES003_MARKERS.every((marker) => names.includes(marker)) ? "es003" : "entry";
  const known = COLUMNS.filter((column) => column.onlyIn === null || column.onlyIn === layout);
  checkDuplicates(known, names, cells);
  const columns = known.flatMap((column): LocatedColumn[] => {
    const header = column.headers.find((candidate) => names.includes(candidate));
    if (header === undefined) return [];
    return [{ ...column, index: names.indexOf(header), isRequired: column.requiredIn.includes(layout) }];
  });
  const present = new Set(columns.map(({ name }) => name));
  checkRequired(known, present, layout);
  const lacksLiquidation = layout === "es003" && !present.has("liquidation_status");
  return {
    layout,
    width: cells.length,
    columns,
    extras: nameExtras(cells, new Set(columns.map(({ index }) => index))),
    fileWarnings: lacksLiquidation ? ["LIQUIDATION_COLUMNS_ABSENT"] : [],
  };
}

/** Throws DELIMITER_UNSUPPORTED for a header of one cell that has another delimiter in it. */
export function checkDelimiter(cells: readonly string[]): void {
  const [only] = cells;
  const delimiter = cells.length === 1 ? /[;\t|]/.exec(only ?? "")?.[0] : undefined;
  if (delimiter === undefined) return;
  const shown = delimiter === "\t" ? "tabs" : `"${delimiter}"`;
  throw new EntryFileError(
    "DELIMITER_UNSUPPORTED",
    1,
    `The columns are separated by ${shown}. Save the file with commas and submit it again.`,
  );
}

/** Compares headers literally: `Entry Number` and `entry_number` are synonyms, of which the first one wins. */
function checkDuplicates(
  known: readonly EntryColumn[],
  names: readonly string[],
  cells: readonly string[],
): void {
  const headers = new Set(known.flatMap((column) => column.headers));
  const firstIndexes = new Map<string, number>();
  for (const [index, cell] of cells.entries()) {
    if (!headers.has(names[index] ?? "")) continue;
    const text = cell.trim();
    const first = firstIndexes.get(text);
    if (first === undefined) {
      firstIndexes.set(text, index);
      continue;
    }
    throw new EntryFileError(
      "HEADER_DUPLICATE",
      1,
      `Columns ${first + 1} and ${index + 1} have the same header, "${text}". Remove one of them.`,
    );
  }
}

function checkRequired(
  known: readonly EntryColumn[],
  present: ReadonlySet<ColumnName>,
  layout: Layout,
): void {
  const missing = known.filter(({ name, requiredIn }) => requiredIn.includes(layout) && !present.has(name));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new EntryFileError(
    "REQUIRED_COLUMN_MISSING",
    1,
    `The header lacks ${missing.length === 1 ? "a required column" : "required columns"}: ${names}.`,
  );
}

/** Unknown columns keep their header text. A repeated one gets a number, a blank one its position. */
function nameExtras(cells: readonly string[], knownIndexes: ReadonlySet<number>): ExtraColumn[] {
  /** By each name that is taken, the number to try next. */
  const nextCopies = new Map<string, number>();
  return cells.flatMap((cell, index) => {
    if (knownIndexes.has(index)) return [];
    const header = copyText(cell.trim()) || `column ${index + 1}`;
    let name = header;
    let copy = nextCopies.get(header) ?? 2;
    for (; nextCopies.has(name); copy += 1) name = `${header} (${copy})`;
    nextCopies.set(name, 2);
    nextCopies.set(header, copy);
    return [{ name, index }];
  });
}
