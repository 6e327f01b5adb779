import { formatIfTime } from "../../domain/times.ts";
import { wrapParts } from "../../domain/wrap-text.ts";
import { formatCellText } from "./cell-text.ts";
import { drawRows, type RowLayout, splitLongText } from "./draw-rows.ts";
import { type ListColumn, readCell } from "./output.ts";
import { createChalk, paintState, type TerminalStyle } from "./paint.ts";
import { sanitizeLine } from "./sanitize.ts";
import { measureWidest, measureWidth, truncate, wrapLine } from "./wrap.ts";

const GAP = 2;

/** A column that can be cut is not made narrower, if another column fits below the row instead. */
const MIN_READABLE_WIDTH = 10;

/** A longer id takes the space of several other columns. */
const MAX_ID_WIDTH_IN_ROW = 20;

/** A column is never cut to fewer characters. */
const MIN_COLUMN_WIDTH = 6;
const EMPTY_CELL = "–";
const INDENT_BELOW = 2;

type Items<T> = AsyncIterable<T> | Iterable<T>;

/** The cells of an item, of all columns. */
type Cells = readonly string[];

/** A column as it is drawn. */
interface Column {
  readonly spec: ListColumn<never>;
  /** Of its cell among those of an item. */
  readonly index: number;
  /** Characters of a line. */
  readonly width: number;
}

/** Takes time linear in the number of rows. If all columns have a width, the lines appear as the items arrive. */
export async function* renderTableLines<T>(
  items: Items<T>,
  specs: readonly ListColumn<T>[],
  { columns: width, hasColour }: TerminalStyle,
): AsyncGenerator<string> {
  const chalk = createChalk(hasColour);
  const visible = specs.filter(({ isHidden }) => !isHidden);
  const isFixed = visible.every((spec) => spec.width !== undefined);
  const arriving = readCells(items, visible);
  const rows: Cells[] = [];
  if (!isFixed) for await (const cells of arriving) rows.push(cells);
  const columns = isFixed
    ? visible.map((spec, index) => ({ spec, index, width: spec.width ?? 0 }))
    : measureCells(rows, visible);
  const { shown, below } = placeColumns(columns, width);
  const isCut = isFixed || width > 0;
  let lines: string[][] = [];
  let isFirst = true;
  for await (const cells of isFixed ? arriving : rows) {
    if (isFirst) {
      const heads = shown.map((column) => splitLine(titleOf(column), column, isCut));
      yield* drawLines(toLines(heads), shown, chalk.dim);
    }
    isFirst = false;
    const drawn = shown.map((column) => {
      const { spec, index } = column;
      const cell = splitCell(cells[index] ?? "", column, isCut);
      return cell.map((line) => paintState(chalk, line, spec.name));
    });
    lines.push(...toLines(drawn));
    // A table is drawn as a whole where it can be.
    if (!isFixed && below.length === 0) continue;
    yield* drawLines(lines, shown);
    lines = [];
    yield* drawBelow(below, cells, width);
  }
  yield* drawLines(lines, shown);
}

async function* readCells<T>(items: Items<T>, specs: readonly ListColumn<T>[]): AsyncGenerator<Cells> {
  for await (const item of items) yield specs.map((spec) => cellOf(item, spec));
}

const cellOf = <T>(item: T, spec: ListColumn<T>): string => {
  const text = formatCellText(spec.display ? spec.display(item) : readCell(spec, item));
  return sanitizeLine(formatIfTime(text) || EMPTY_CELL);
};

const titleOf = ({ spec }: Pick<Column, "spec">): string => spec.title ?? spec.name;

/** Each column as wide as its widest cell, without the optional ones that have none. */
const measureCells = (rows: readonly Cells[], specs: readonly ListColumn<never>[]): readonly Column[] =>
  specs.flatMap((spec, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    if (spec.isOptional && cells.every((cell) => cell === EMPTY_CELL)) return [];
    return [{ spec, index, width: measureWidest([titleOf({ spec }), ...cells].flatMap(splitLongText)) }];
  });

/** Nothing is left out on a narrow terminal: columns that do not fit into the row stand below it. */
function placeColumns(columns: readonly Column[], width: number) {
  const inRow = chooseColumnsOfRow(columns, width);
  return {
    shown: shrinkColumns(inRow, width),
    below: columns.filter((column) => !inRow.includes(column)),
  };
}

/** Those that fit if others are cut. First, those that are made for below and long ids leave the row, then from the right. */
function chooseColumnsOfRow(columns: readonly Column[], width: number): readonly Column[] {
  const isTooWide = (some: readonly Column[]) =>
    width > 0 && some.length > 1 && measureColumns(some, minWidthOf) > width;
  if (!isTooWide(columns)) return columns;
  const others = columns.filter((column) => !isForBelow(column));
  let inRow = others.length > 0 ? others : columns.slice(0, 1);
  while (isTooWide(inRow)) inRow = inRow.slice(0, -1);
  return inRow;
}

function shrinkColumns(columns: readonly Column[], width: number): readonly Column[] {
  const canStayReadable = (column: Column) => minWidthOf(column) < column.width;
  const readable = shrinkToFit(columns, width, canStayReadable, MIN_READABLE_WIDTH);
  // The last resort, if the row is still too wide: any column, to less than is readable.
  return shrinkToFit(readable, width, () => true);
}

const isForBelow = ({ spec, width }: Column): boolean =>
  spec.isBelow ?? (mustStayWhole(spec) && width > MAX_ID_WIDTH_IN_ROW);

/** Half an id or amount is useless. */
const mustStayWhole = ({ isId, isWhole, canWrap }: ListColumn<never>): boolean =>
  !canWrap && (isId ?? isWhole ?? false);

/** The width at which a column is still readable. */
const minWidthOf = ({ spec, width }: Column): number =>
  spec.isBelow || mustStayWhole(spec) ? width : Math.min(width, MIN_READABLE_WIDTH);

const measureColumns = <C>(columns: readonly C[], widthOf: (column: C) => number): number =>
  columns.reduce((sum, column) => sum + widthOf(column) + GAP, -GAP);

/** Takes a character at a time from the widest column that can shrink, until all fit into the width of a line. */
export function shrinkToFit<C extends { readonly width: number }>(
  columns: readonly C[],
  width: number,
  canShrink: (column: C) => boolean,
  min = MIN_COLUMN_WIDTH,
): readonly C[] {
  if (width === 0) return columns;
  const result = columns.map((column) => ({ ...column, width: column.width }));
  const shrinkable = result.filter(canShrink);
  let excess = measureColumns(result, (column) => column.width) - width;
  while (excess > 0) {
    const largest = Math.max(0, ...shrinkable.map((column) => column.width));
    const widest = shrinkable.find((column) => column.width === largest);
    if (widest === undefined || largest <= min) break;
    widest.width -= 1;
    excess -= 1;
  }
  return result;
}

function* drawLines(
  lines: readonly string[][],
  columns: readonly Column[],
  style = (line: string) => line,
): Generator<string> {
  const layout: RowLayout = {
    widths: columns.map(({ width }) => width),
    columns: columns.map(({ spec }) => spec),
    gap: GAP,
    indent: 0,
  };
  for (const line of drawRows(lines, layout)) yield `${style(line)}\n`;
}

/** The lines of a cell. @param isCut whether a line that is wider than its column is cut */
const splitCell = (cell: string, column: Column, isCut: boolean): string[] =>
  (column.spec.canWrap ? wrapLine(cell, column.width) : [cell]).flatMap((line) =>
    splitLine(line, column, isCut),
  );

const splitLine = (line: string, { width }: Column, isCut: boolean): string[] =>
  splitLongText(isCut ? truncate(line, width) : line);

/** An id, and what is made for this place, is known by its look; other cells have their titles. */
function* drawBelow(columns: readonly Column[], cells: Cells, width: number): Generator<string> {
  const texts = columns.flatMap((column) => {
    const cell = cells[column.index] ?? EMPTY_CELL;
    if (cell === EMPTY_CELL) return [];
    return column.spec.isId || column.spec.isBelow ? cell : `${titleOf(column)}: ${cell}`;
  });
  if (texts.length === 0) return;
  for (const line of wrapParts(texts, "  ", width - INDENT_BELOW, measureWidth))
    for (const part of wrapLine(line, width - INDENT_BELOW)) yield `${" ".repeat(INDENT_BELOW)}${part}\n`;
}

export function toLines(cells: readonly (readonly string[])[]): string[][] {
  const height = cells.reduce((max, { length }) => Math.max(max, length), 0);
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}
