import { formatIfTime } from "../../domain/times.ts";
import { wrapParts } from "../../domain/wrap-text.ts";
import { formatCellText } from "./cell-text.ts";
import { drawRows, type RowLayout, splitLongText } from "./draw-rows.ts";
import { type ListColumn, readCell } from "./output.ts";
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

type Specs<T> = readonly ListColumn<T>[];

/** The cells of an item, of all columns. */
type Cells = readonly string[];

/** A column as it is drawn. */
interface Column<T> {
  readonly spec: ListColumn<T>;
  /** Of its cell among those of an item. */
  readonly index: number;
  /** Characters of a line. */
  readonly width: number;
}

interface ListTableStyle {
  /** Characters of a line; 0 if unknown. */
  readonly width: number;
  readonly head: (text: string) => string;
  readonly paint: (text: string, name: string) => string;
}

/** Takes time linear in the number of rows. If all columns have a width, the lines appear as the items arrive. */
export async function* renderTableLines<T>(
  items: Items<T>,
  specs: Specs<T>,
  { width, head, paint }: ListTableStyle,
): AsyncGenerator<string> {
  const visible = specs.filter(({ isHidden }) => !isHidden);
  const isFixed = visible.every((spec) => spec.width !== undefined);
  const rows = isFixed ? null : await readAll(items, visible);
  const columns = rows
    ? measureCells(rows, visible)
    : visible.map((spec, index) => ({ spec, index, width: spec.width ?? 0 }));
  const { shown, below } = placeColumns(columns, width);
  const isCut = isFixed || width > 0;
  let lines: string[][] = [];
  let isFirst = true;
  for await (const cells of rows ?? readCells(items, visible)) {
    if (isFirst)
      yield* drawLines(
        toLines(shown.map((column) => splitLine(titleOf(column), column, isCut))),
        shown,
        head,
      );
    isFirst = false;
    lines.push(...toLines(shown.map((column) => splitCell(cells[column.index] ?? "", column, isCut, paint))));
    // A table is drawn as a whole where it can be.
    if (!isFixed && below.length === 0) continue;
    yield* drawLines(lines, shown);
    lines = [];
    yield* drawBelow(below, cells, width);
  }
  yield* drawLines(lines, shown);
}

async function* readCells<T>(items: Items<T>, specs: Specs<T>): AsyncGenerator<Cells> {
  for await (const item of items) yield specs.map((spec) => cellOf(item, spec));
}

async function readAll<T>(items: Items<T>, specs: Specs<T>): Promise<readonly Cells[]> {
  const all: Cells[] = [];
  for await (const cells of readCells(items, specs)) all.push(cells);
  return all;
}

const cellOf = <T>(item: T, spec: ListColumn<T>): string => {
  const text = formatCellText(spec.display ? spec.display(item) : readCell(spec, item));
  return sanitizeLine(formatIfTime(text) || EMPTY_CELL);
};

const titleOf = <T>({ spec }: Pick<Column<T>, "spec">): string => spec.title ?? spec.name;

/** Each column as wide as its widest cell, without the optional ones that have none. */
const measureCells = <T>(rows: readonly Cells[], specs: Specs<T>): readonly Column<T>[] =>
  specs.flatMap((spec, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    if (spec.isOptional && cells.every((cell) => cell === EMPTY_CELL)) return [];
    return [{ spec, index, width: measureWidest([titleOf({ spec }), ...cells].flatMap(splitLongText)) }];
  });

/**
 * Nothing is left out on a narrow terminal: columns that do not fit, even if others are cut, stand below the rest of their row.
 * First those that are made for it and long ids, then from the right.
 */
function placeColumns<T>(all: readonly Column<T>[], width: number) {
  const isTooWide = (columns: readonly Column<T>[]) =>
    width > 0 && columns.length > 1 && measureColumns(columns, minWidthOf) > width;
  let kept = all;
  if (isTooWide(all)) {
    const others = all.filter((column) => !isForBelow(column));
    kept = others.length > 0 ? others : all.slice(0, 1);
    while (isTooWide(kept)) kept = kept.slice(0, -1);
  }
  const readable = shrinkToFit(
    kept,
    width,
    (column) => minWidthOf(column) < column.width,
    MIN_READABLE_WIDTH,
  );
  return {
    shown: shrinkToFit(readable, width, () => true),
    below: all.filter((column) => !kept.includes(column)),
  };
}

const isForBelow = <T>({ spec, width }: Column<T>): boolean =>
  spec.isBelow ?? (isUncuttable(spec) && width > MAX_ID_WIDTH_IN_ROW);

/** Half an id or amount is useless. */
const isUncuttable = <T>({ isId, isWhole, canWrap }: ListColumn<T>): boolean =>
  !canWrap && (isId ?? isWhole ?? false);

/** The width at which a column is still readable. */
const minWidthOf = <T>({ spec, width }: Column<T>): number =>
  spec.isBelow || isUncuttable(spec) ? width : Math.min(width, MIN_READABLE_WIDTH);

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

function* drawLines<T>(
  lines: readonly string[][],
  columns: readonly Column<T>[],
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
function splitCell<T>(
  cell: string,
  column: Column<T>,
  isCut: boolean,
  paint: ListTableStyle["paint"],
): string[] {
  const { spec, width } = column;
  const lines = spec.canWrap ? wrapLine(cell, width) : [cell];
  return lines.flatMap((line) => splitLine(line, column, isCut)).map((line) => paint(line, spec.name));
}

const splitLine = <T>(line: string, { width }: Column<T>, isCut: boolean): string[] =>
  splitLongText(isCut ? truncate(line, width) : line);

/** An id, and what is made for this place, is known by its look; other cells have their titles. */
function* drawBelow<T>(columns: readonly Column<T>[], cells: Cells, width: number): Generator<string> {
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
