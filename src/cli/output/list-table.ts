import stringWidth from "string-width";
import { formatCellText } from "./cell-text.ts";
import { type ListColumn, readCell } from "./output.ts";
import { sanitizeLine } from "./sanitize.ts";

const GAP = "  ";

/** Characters that a column has to have left to be of any use: rather than to cut it further, others are left out. */
const MIN_READABLE_WIDTH = 10;

/** A column is not cut below this many characters, whatever the terminal. */
const MIN_COLUMN_WIDTH = 6;

type Items<T> = AsyncIterable<T> | Iterable<T>;

/**
 * A list as lines for a person, in a time that grows with the rows and no faster; no line at all for no item. Where
 * every column has its width the lines come as the items do.
 *
 * @param width characters of a line; 0 where that is unknown
 */
export async function* renderTableLines<T>(
  items: Items<T>,
  columns: readonly ListColumn<T>[],
  width: number,
  head: (text: string) => string,
): AsyncGenerator<string> {
  const all = columns.filter(({ isHidden: hidden }) => !hidden);
  if (all.every((column) => column.width !== undefined)) {
    const fitting = takeFittingColumns(all, width);
    const widths = fitting.map((column) => column.width ?? 0);
    let before = formatLine(fitting, widths, fitting.map(titleOf), head);
    for await (const item of items) {
      yield before + formatLine(fitting, widths, cellsOf(item, fitting));
      before = "";
    }
    return;
  }
  const table: string[][] = [];
  for await (const item of items) table.push(cellsOf(item, all));
  if (table.length === 0) return;
  const naturalWidths = all.map((column, index) => measureColumn(titleOf(column), table, index));
  const kept = chooseColumns(all, naturalWidths, width);
  const rows = kept.length === all.length ? table : table.map((row) => kept.map((index) => row[index] ?? ""));
  const shown = kept.flatMap((index) => all[index] ?? []);
  const keptWidths = kept.map((index) => naturalWidths[index] ?? 0);
  // Half an id or amount is of use to nobody: it gives way when all else has.
  const others = shrinkWidths(keptWidths, width, (index) => !isUncuttable(shown[index]));
  const widths = shrinkWidths(others, width, () => true);
  yield formatLine(shown, widths, shown.map(titleOf), head);
  for (const row of rows)
    for (const cells of splitRow(row, shown, widths)) yield formatLine(shown, widths, cells);
}

const isUncuttable = <T>(column: ListColumn<T> | undefined): boolean =>
  column?.isId ?? column?.isWhole ?? false;

const titleOf = <T>({ title, name }: ListColumn<T>): string => title ?? name;

const cellsOf = <T>(item: T, columns: readonly ListColumn<T>[]): string[] =>
  columns.map((column) =>
    sanitizeLine(formatCellText(column.display ? column.display(item) : readCell(column, item)) || "–"),
  );

export const measureWidth = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);

function measureColumn(title: string, rows: readonly (readonly string[])[], index: number): number {
  let width = measureWidth(title);
  for (const row of rows) width = Math.max(width, measureWidth(row[index] ?? ""));
  return width;
}

/** Columns of a fixed width from the left, as many as a line holds. */
function takeFittingColumns<T>(columns: readonly ListColumn<T>[], width: number): readonly ListColumn<T>[] {
  if (width === 0) return columns;
  let left = width + GAP.length;
  return columns.filter((column) => {
    left -= (column.width ?? 0) + GAP.length;
    return left >= 0;
  });
}

/** Which columns a line holds with none cut to nothing: those on the right go first, never an id; without one, two stay. */
function chooseColumns<T>(
  columns: readonly ListColumn<T>[],
  widths: readonly number[],
  width: number,
): readonly number[] {
  const least = widths.map(
    (each, index) => (isUncuttable(columns[index]) ? each : Math.min(each, MIN_READABLE_WIDTH)) + GAP.length,
  );
  const kept = [...columns.keys()];
  const needed = () => kept.reduce((sum, index) => sum + (least[index] ?? 0), -GAP.length);
  const fewest = columns.some(({ isId }) => isId) ? 1 : 2;
  while (width > 0 && kept.length > fewest && needed() > width) {
    const last = kept.findLastIndex((index) => !columns[index]?.isId);
    if (last < 0) break;
    kept.splice(last, 1);
  }
  return kept;
}

/** Takes from the widest of the columns that may give what the line does not hold. */
export function shrinkWidths(
  widths: readonly number[],
  width: number,
  mayGive: (index: number) => boolean,
): readonly number[] {
  if (width === 0) return widths;
  const result = [...widths];
  let excess = result.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  while (excess > 0) {
    const largest = Math.max(0, ...result.filter((_, index) => mayGive(index)));
    if (largest <= MIN_COLUMN_WIDTH) break;
    result[result.findIndex((each, index) => each === largest && mayGive(index))] = largest - 1;
    excess -= 1;
  }
  return result;
}

function formatLine<T>(
  columns: readonly ListColumn<T>[],
  widths: readonly number[],
  cells: readonly string[],
  style: (text: string) => string = (text) => text,
): string {
  const parts = cells.map((cell, index) => {
    const text = truncate(cell, widths[index] ?? 0);
    const gap = " ".repeat(Math.max(0, (widths[index] ?? 0) - measureWidth(text)));
    return columns[index]?.align === "right" ? gap + text : text + gap;
  });
  return `${style(parts.join(GAP).trimEnd())}\n`;
}

/** A row as the lines it takes: more than one where a cell that wraps is too long. */
function splitRow<T>(
  row: readonly string[],
  columns: readonly ListColumn<T>[],
  widths: readonly number[],
): string[][] {
  const cells = row.map((cell, index) =>
    columns[index]?.canWrap ? wrapAnywhere(cell, widths[index] ?? 0) : [cell],
  );
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}

/** Text as lines of that width at the most, where it has spaces to break it at. */
export const wrapAtSpaces = (text: string, width: number): string[] => packLines(text.split(" "), " ", width);

/** The same for a column, which cuts what is too long: a path is rather broken between its segments and words. */
const wrapAnywhere = (text: string, width: number): string[] =>
  wrapAtSpaces(text, width).flatMap((line) =>
    measureWidth(line) > width && line.includes("/") ? packLines(line.split(/(?<=[/-])/), "", width) : [line],
  );

function packLines(parts: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = [];
  let last = "";
  for (const part of parts) {
    const longer = last === "" ? part : last + gap + part;
    if (measureWidth(longer) <= width || last === "") last = longer;
    else {
      lines.push(last);
      last = part;
    }
  }
  return [...lines, last];
}

function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += measureWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
