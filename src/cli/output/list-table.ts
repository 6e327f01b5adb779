import stringWidth from "string-width";
import { cellText } from "./cell-text.ts";
import type { Column } from "./output.ts";
import { printable } from "./printable.ts";

const GAP = "  ";

/** Characters that a column has to have left to be of any use: rather than to cut it further, others are left out. */
const READABLE = 10;

/** A column is not cut below this many characters, whatever the terminal. */
const NARROWEST = 6;

type Items<T> = AsyncIterable<T> | Iterable<T>;

/**
 * A list as lines for a person, in a time that grows with the rows and no faster; no line at all for no item. Where
 * every column has its width the lines come as the items do.
 *
 * @param width characters of a line; 0 where that is unknown
 */
export async function* tableLines<T>(
  items: Items<T>,
  columns: readonly Column<T>[],
  width: number,
  head: (text: string) => string,
): AsyncGenerator<string> {
  const all = columns.filter(({ hidden }) => !hidden);
  if (all.every((column) => column.width !== undefined)) {
    const fitting = thatFit(all, width);
    const widths = fitting.map((column) => column.width ?? 0);
    let before = line(fitting, widths, fitting.map(titleOf), head);
    for await (const item of items) {
      yield before + line(fitting, widths, cellsOf(item, fitting));
      before = "";
    }
    return;
  }
  const table: string[][] = [];
  for await (const item of items) table.push(cellsOf(item, all));
  if (table.length === 0) return;
  const whole = all.map((column, index) => widest(titleOf(column), table, index));
  const held = legible(all, whole, width);
  const rows = held.length === all.length ? table : table.map((row) => held.map((index) => row[index] ?? ""));
  const shown = held.flatMap((index) => all[index] ?? []);
  const natural = held.map((index) => whole[index] ?? 0);
  // Half an id or amount is of use to nobody: it gives way when all else has.
  const others = narrowed(natural, width, (index) => !isOfUseWhole(shown[index]));
  const widths = narrowed(others, width, () => true);
  yield line(shown, widths, shown.map(titleOf), head);
  for (const row of rows) for (const cells of broken(row, shown, widths)) yield line(shown, widths, cells);
}

const isOfUseWhole = <T>(column: Column<T> | undefined): boolean => column?.isId ?? column?.isWhole ?? false;

const titleOf = <T>({ title, name }: Column<T>): string => title ?? name;

const cellsOf = <T>(item: T, columns: readonly Column<T>[]): string[] =>
  columns.map(({ of, shown }) => printable(cellText(shown ? shown(item) : of(item)) || "–"));

export const widthOf = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);

function widest(title: string, rows: readonly (readonly string[])[], index: number): number {
  let width = widthOf(title);
  for (const row of rows) width = Math.max(width, widthOf(row[index] ?? ""));
  return width;
}

/** Columns of a fixed width from the left, as many as a line holds. */
function thatFit<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  if (width === 0) return columns;
  let left = width + GAP.length;
  return columns.filter((column) => {
    left -= (column.width ?? 0) + GAP.length;
    return left >= 0;
  });
}

/** Which columns a line holds with none cut to nothing: those on the right go first, never an id; without one, two stay. */
function legible<T>(
  columns: readonly Column<T>[],
  widths: readonly number[],
  width: number,
): readonly number[] {
  const least = widths.map(
    (each, index) => (isOfUseWhole(columns[index]) ? each : Math.min(each, READABLE)) + GAP.length,
  );
  const held = [...columns.keys()];
  const needed = () => held.reduce((sum, index) => sum + (least[index] ?? 0), -GAP.length);
  const fewest = columns.some(({ isId }) => isId) ? 1 : 2;
  while (width > 0 && held.length > fewest && needed() > width) {
    const last = held.findLastIndex((index) => !columns[index]?.isId);
    if (last < 0) break;
    held.splice(last, 1);
  }
  return held;
}

/** Takes from the widest of the columns that may give what the line does not hold. */
export function narrowed(
  widths: readonly number[],
  width: number,
  mayGive: (index: number) => boolean,
): readonly number[] {
  if (width === 0) return widths;
  const result = [...widths];
  let excess = result.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  while (excess > 0) {
    const largest = Math.max(0, ...result.filter((_, index) => mayGive(index)));
    if (largest <= NARROWEST) break;
    result[result.findIndex((each, index) => each === largest && mayGive(index))] = largest - 1;
    excess -= 1;
  }
  return result;
}

function line<T>(
  columns: readonly Column<T>[],
  widths: readonly number[],
  cells: readonly string[],
  style: (text: string) => string = (text) => text,
): string {
  const parts = cells.map((cell, index) => {
    const text = cut(cell, widths[index] ?? 0);
    const gap = " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
    return columns[index]?.align === "right" ? gap + text : text + gap;
  });
  return `${style(parts.join(GAP).trimEnd())}\n`;
}

/** A row as the lines it takes: more than one where a cell that wraps is too long. */
function broken<T>(
  row: readonly string[],
  columns: readonly Column<T>[],
  widths: readonly number[],
): string[][] {
  const cells = row.map((cell, index) =>
    columns[index]?.wraps ? brokenAnywhere(cell, widths[index] ?? 0) : [cell],
  );
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}

/** Text as lines of that width at the most, where it has spaces to break it at. */
export const brokenAtSpaces = (text: string, width: number): string[] => packed(text.split(" "), " ", width);

/** The same for a column, which cuts what is too long: a path is rather broken between its segments and words. */
const brokenAnywhere = (text: string, width: number): string[] =>
  brokenAtSpaces(text, width).flatMap((line) =>
    widthOf(line) > width && line.includes("/") ? packed(line.split(/(?<=[/-])/), "", width) : [line],
  );

function packed(parts: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = [];
  let last = "";
  for (const part of parts) {
    const longer = last === "" ? part : last + gap + part;
    if (widthOf(longer) <= width || last === "") last = longer;
    else {
      lines.push(last);
      last = part;
    }
  }
  return [...lines, last];
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
