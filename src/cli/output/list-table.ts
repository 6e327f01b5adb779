import stringWidth from "string-width";
import { formatCellText } from "./cell-text.ts";
import { type ListColumn, readCell } from "./output.ts";
import { sanitizeLine } from "./sanitize.ts";

const GAP = "  ";

/** A column is left out rather than cut to fewer characters, if other columns fit instead. */
const MIN_READABLE_WIDTH = 10;

/** A column is never cut to fewer characters. */
const MIN_COLUMN_WIDTH = 6;

type Columns<T> = readonly ListColumn<T>[];

interface ListTableStyle {
  /** Characters of a line; 0 if unknown. */
  readonly width: number;
  readonly head: (text: string) => string;
  /** Adds a colour to a cell of the field with that name. */
  readonly paint: (text: string, name: string) => string;
  /** Called before the heading if not all columns fit. The message names the others as `--fields` takes them. */
  readonly onOmitted: (message: string) => void;
}

/**
 * Renders a list in time linear in the number of rows; nothing for an empty list. If all columns have a width, the lines
 * appear as the items arrive.
 */
export async function* renderTableLines<T>(
  items: AsyncIterable<T> | Iterable<T>,
  columns: Columns<T>,
  { width, head, paint, onOmitted }: ListTableStyle,
): AsyncGenerator<string> {
  const visible = columns.filter(({ isHidden }) => !isHidden);
  const reportOmitted = (shown: Columns<T>) => {
    const names = visible.filter((column) => !shown.includes(column)).map(({ name }) => name);
    const message = `not shown at ${width} columns: ${names.join(", ")}; --fields or --csv shows them`;
    if (names.length > 0) onOmitted(message);
  };
  if (visible.every((column) => column.width !== undefined)) {
    const fitting = takeFittingColumns(visible, width);
    const widths = fitting.map((column) => column.width ?? 0);
    let heading = formatLine(fitting, widths, fitting.map(titleOf), head);
    for await (const item of items) {
      if (heading !== "") reportOmitted(fitting);
      yield heading + formatLine(fitting, widths, cellsOf(item, fitting), undefined, paint);
      heading = "";
    }
    return;
  }
  const table: string[][] = [];
  for await (const item of items) table.push(cellsOf(item, visible));
  if (table.length === 0) return;
  const natural = visible.map((column, index) =>
    table.reduce((max, row) => Math.max(max, measureWidth(row[index] ?? "")), measureWidth(titleOf(column))),
  );
  const kept = chooseColumns(visible, natural, width);
  const shown = kept.flatMap((index) => visible[index] ?? []);
  // Half an id or amount is useless, so these columns shrink last.
  const others = shrinkWidths(
    kept.map((index) => natural[index] ?? 0),
    width,
    (index) => !isUncuttable(shown[index]),
  );
  const wrapped = shrinkWidths(others, width, (index) => shown[index]?.canWrap ?? false);
  const widths = shrinkWidths(wrapped, width, () => true);
  reportOmitted(shown);
  yield formatLine(shown, widths, shown.map(titleOf), head);
  for (const row of table) {
    const cells = kept.map((index) => row[index] ?? "");
    for (const line of splitRow(cells, shown, widths))
      yield formatLine(shown, widths, line, undefined, paint);
  }
}

const isUncuttable = <T>(column: ListColumn<T> | undefined): boolean =>
  column?.isId ?? column?.isWhole ?? false;

const titleOf = <T>({ title, name }: ListColumn<T>): string => title ?? name;

const cellsOf = <T>(item: T, columns: Columns<T>): string[] =>
  columns.map((column) =>
    sanitizeLine(formatCellText(column.display ? column.display(item) : readCell(column, item)) || "–"),
  );

export const measureWidth = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);

function takeFittingColumns<T>(columns: Columns<T>, width: number): Columns<T> {
  if (width === 0) return columns;
  let left = width + GAP.length;
  return columns.filter((column) => {
    left -= (column.width ?? 0) + GAP.length;
    return left >= 0;
  });
}

/** Leaves out columns from the right, never an id, until the others are readable. Without an id, two columns stay. */
function chooseColumns<T>(columns: Columns<T>, natural: readonly number[], width: number): readonly number[] {
  const canShrink = (column: ListColumn<T> | undefined) => !isUncuttable(column) || column?.canWrap;
  const minimum = natural.map(
    (each, index) => (canShrink(columns[index]) ? Math.min(each, MIN_READABLE_WIDTH) : each) + GAP.length,
  );
  const kept = [...columns.keys()];
  const totalWidth = () => kept.reduce((sum, index) => sum + (minimum[index] ?? 0), -GAP.length);
  const minColumns = columns.some(({ isId }) => isId) ? 1 : 2;
  while (width > 0 && kept.length > minColumns && totalWidth() > width) {
    const last = kept.findLastIndex((index) => !columns[index]?.isId);
    if (last < 0) break;
    kept.splice(last, 1);
  }
  return kept;
}

/** Shrinks the widest column that may shrink until the line fits. */
export function shrinkWidths(
  widths: readonly number[],
  width: number,
  canShrink: (index: number) => boolean,
): readonly number[] {
  if (width === 0) return widths;
  const result = [...widths];
  let excess = result.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  while (excess > 0) {
    const largest = Math.max(0, ...result.filter((_, index) => canShrink(index)));
    if (largest <= MIN_COLUMN_WIDTH) break;
    result[result.findIndex((each, index) => each === largest && canShrink(index))] = largest - 1;
    excess -= 1;
  }
  return result;
}

function formatLine<T>(
  columns: Columns<T>,
  widths: readonly number[],
  cells: readonly string[],
  style: (text: string) => string = (text) => text,
  paint: (text: string, name: string) => string = (text) => text,
): string {
  const parts = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    const text = truncate(cell, width);
    const gap = " ".repeat(Math.max(0, width - measureWidth(text)));
    const painted = paint(text, columns[index]?.name ?? "");
    return columns[index]?.align === "right" ? gap + painted : painted + gap;
  });
  return `${style(parts.join(GAP).trimEnd())}\n`;
}

/** The lines of a row, several if a cell wraps. */
function splitRow<T>(row: readonly string[], columns: Columns<T>, widths: readonly number[]): string[][] {
  const cells = row.map((cell, index) =>
    columns[index]?.canWrap ? wrapAnywhere(cell, widths[index] ?? 0) : [cell],
  );
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}

export const wrapAtSpaces = (text: string, width: number): string[] => packLines(text.split(" "), " ", width);

/** Wraps paths between their segments and words too, and other long words anywhere. */
const wrapAnywhere = (text: string, width: number): string[] =>
  [
    (line: string) => packLines(line.split(/(?<=[/-])/), "", width),
    (line: string) => packLines([...line], "", width),
  ].reduce(
    (lines, split) => lines.flatMap((line) => (measureWidth(line) > width ? split(line) : [line])),
    wrapAtSpaces(text, width),
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

export function truncate(text: string, width: number): string {
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
