import { COLUMNS, type Column, ES003_MARKERS, normaliseHeader } from "./columns.ts";
import { copyText } from "./csv/copy-text.ts";
import type { FileWarningCode, Layout } from "./entry.ts";
import { EntryFileError } from "./entry-file-error.ts";

/** A known column and where it stands in this file. */
interface LocatedColumn {
  readonly column: Column;
  readonly index: number;
  readonly isRequired: boolean;
}

/** An unknown column; its cells go to `extra` under `name`. */
export interface ExtraColumn {
  readonly name: string;
  readonly index: number;
}

export interface Header {
  readonly layout: Layout;
  /** Cells that every record must have. */
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
  const columns = locateColumns(known, names, layout);
  checkRequired(known, columns, layout);
  return {
    layout,
    width: cells.length,
    columns,
    extras: nameExtras(cells, new Set(columns.map((placed) => placed.index))),
    fileWarnings: findFileWarnings(layout, columns),
  };
}

function checkDelimiter(cells: readonly string[]): void {
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

/** Word for word: `Entry Number` beside `entry_number` is no duplicate but a synonym, of which the first one wins. */
function checkDuplicates(known: readonly Column[], names: readonly string[], cells: readonly string[]): void {
  const headers = new Set(known.flatMap((column) => column.headers));
  const texts = cells.map((cell) => cell.trim());
  const duplicateIndex = texts.findIndex(
    (text, index) => headers.has(names[index] ?? "") && texts.indexOf(text) !== index,
  );
  if (duplicateIndex === -1) return;
  throw new EntryFileError(
    "HEADER_DUPLICATE",
    1,
    `The header "${texts[duplicateIndex]}" stands twice (columns ${texts.indexOf(texts[duplicateIndex] ?? "") + 1} and ${duplicateIndex + 1}). Remove one.`,
  );
}

function locateColumns(known: readonly Column[], names: readonly string[], layout: Layout): LocatedColumn[] {
  return known.flatMap((column) => {
    const header = column.headers.find((candidate) => names.includes(candidate));
    if (header === undefined) return [];
    return [{ column, index: names.indexOf(header), isRequired: column.requiredIn.includes(layout) }];
  });
}

function checkRequired(known: readonly Column[], columns: readonly LocatedColumn[], layout: Layout): void {
  const present = new Set(columns.map((placed) => placed.column));
  const missing = known.filter((column) => column.requiredIn.includes(layout) && !present.has(column));
  if (missing.length === 0) return;
  const names = missing.map((column) => column.name).join(", ");
  throw new EntryFileError(
    "REQUIRED_COLUMN_MISSING",
    1,
    `The header lacks ${missing.length === 1 ? "a required column" : "required columns"}: ${names}.`,
  );
}

/** Unknown columns keep their header text; one that repeats gets a number, a blank one its position. */
function nameExtras(cells: readonly string[], knownIndexes: ReadonlySet<number>): ExtraColumn[] {
  const takenNames = new Set<string>();
  return cells.flatMap((cell, index) => {
    if (knownIndexes.has(index)) return [];
    const header = copyText(cell.trim()) || `column ${index + 1}`;
    let name = header;
    for (let copy = 2; takenNames.has(name); copy += 1) name = `${header} (${copy})`;
    takenNames.add(name);
    return [{ name, index }];
  });
}

function findFileWarnings(layout: Layout, columns: readonly LocatedColumn[]): FileWarningCode[] {
  const hasStatus = columns.some((placed) => placed.column.name === "liquidation_status");
  return layout === "es003" && !hasStatus ? ["LIQUIDATION_COLUMNS_ABSENT"] : [];
}
