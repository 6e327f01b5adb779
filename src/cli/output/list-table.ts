import { formatIfTime } from "../../domain/times.ts";
import { wrapParts } from "../../domain/wrap-text.ts";
import { formatCellText } from "./cell-text.ts";
import { drawRows, type RowLayout, splitLongText } from "./draw-rows.ts";
import { type ListColumn, readCell } from "./output.ts";
import { sanitizeLine } from "./sanitize.ts";
import { measureWidest, measureWidth, truncate, wrapLine } from "./wrap.ts";

const GAP = 2;

/** A column is left out rather than cut to fewer characters, if other columns fit instead. */
const MIN_READABLE_WIDTH = 10;

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
  /** Called before the heading if not all columns fit. The message names the others as `--fields` takes them. */
  readonly onOmitted: (message: string) => void;
}

/** Takes time linear in the number of rows. If all columns have a width, the lines appear as the items arrive. */
export async function* renderTableLines<T>(
  items: Items<T>,
  specs: Specs<T>,
  { width, head, paint, onOmitted }: ListTableStyle,
): AsyncGenerator<string> {
  const visible = specs.filter(({ isHidden }) => !isHidden);
  const isFixed = visible.every((spec) => spec.width !== undefined);
  const rows = isFixed ? null : await readAll(items, visible);
  const columns = rows
    ? measureCells(rows, visible)
    : visible.map((spec, index) => ({ spec, index, width: spec.width ?? 0 }));
  const { shown, below } = isFixed ? placeFixed(columns, width) : placeMeasured(columns, width);
  const isCut = isFixed || width > 0;
  let lines: string[][] = [];
  let isFirst = true;
  for await (const cells of rows ?? readCells(items, visible)) {
    if (isFirst) {
      reportOmitted(columns, [...below, ...shown], onOmitted);
      yield drawHeading(shown, isCut, head);
      isFirst = false;
    }
    lines.push(...toLines(shown.map((column) => splitCell(cells[column.index] ?? "", column, isCut, paint))));
    // A table is drawn as a whole where it can be.
    if (!isFixed && below.length === 0) continue;
    yield* drawLines(lines, shown);
    lines = [];
    yield* drawLinesBelow(
      below.map(({ index }) => cells[index] ?? ""),
      width,
    );
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

/** Each column as wide as its widest cell, without the optional ones that have none. */
const measureCells = <T>(rows: readonly Cells[], specs: Specs<T>): readonly Column<T>[] =>
  specs.flatMap((spec, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    if (spec.isOptional && cells.every((cell) => cell === EMPTY_CELL)) return [];
    return [{ spec, index, width: measureWidest([titleOf(spec), ...cells].flatMap(splitLongText)) }];
  });

function placeFixed<T>(all: readonly Column<T>[], width: number) {
  const fits = takeFittingColumns(all, width).length === all.length;
  const below = !fits && all.some(({ spec }) => spec.isBelow) ? findColumnsBelow(all) : [];
  const rest = all.filter((column) => !below.includes(column));
  return { below, shown: takeFittingColumns(rest, width) };
}

function placeMeasured<T>(all: readonly Column<T>[], width: number) {
  const kept = chooseColumns(all, width);
  const below = findColumnsBelow(all);
  const withoutBelow = chooseColumns(
    all.filter((column) => !below.includes(column)),
    width,
  );
  const gainsText = withoutBelow.some((column) => column.spec.canWrap && !kept.includes(column));
  const isTooWide = width > 0 && measureColumns(all, (column) => column.width) > width;
  const hasLinesBelow =
    (isTooWide && all.some(({ spec }) => spec.isBelow)) ||
    (below.length > 0 && (gainsText || needsIdLines(kept.length, below.length, all.length)));
  return hasLinesBelow
    ? { below, shown: shrinkColumns(withoutBelow, width) }
    : { below: [], shown: shrinkColumns(kept, width) };
}

/** Ids first, because commands take them. */
const findColumnsBelow = <C extends { readonly spec: ListColumn<never> }>(
  columns: readonly C[],
): readonly C[] => [
  ...columns.filter(({ spec }) => spec.isId),
  ...columns.filter(({ spec }) => spec.isBelow && !spec.isId),
];

function* drawLinesBelow(cells: readonly string[], width: number): Generator<string> {
  const texts = cells.filter((cell) => cell !== EMPTY_CELL);
  if (texts.length === 0) return;
  for (const line of wrapParts(texts, "  ", width - INDENT_BELOW, measureWidth))
    for (const part of wrapLine(line, width - INDENT_BELOW)) yield `${" ".repeat(INDENT_BELOW)}${part}\n`;
}

/** Whether the ids get a line below the rest of their row: a narrow terminal has hardly any space next to them. */
const needsIdLines = (kept: number, ids: number, all: number): boolean =>
  (kept === ids && kept < all) || (kept === ids + 1 && kept < all - 1);

function reportOmitted<T>(
  columns: readonly Column<T>[],
  shown: readonly Column<T>[],
  onOmitted: ListTableStyle["onOmitted"],
): void {
  const names = columns.flatMap(({ spec }) => (shown.some((each) => each.spec === spec) ? [] : spec.name));
  if (names.length > 0)
    onOmitted(`not shown, for lack of space: ${names.join(", ")}; --fields or --csv shows them`);
}

/** Half an id or amount is useless, so these columns shrink last. */
function shrinkColumns<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const isCuttable = ({ spec }: Column<T>) => !isUncuttable(spec);
  const readable = shrinkToFit(columns, width, isCuttable, MIN_READABLE_WIDTH);
  const wrapped = shrinkToFit(readable, width, ({ spec }) => spec.canWrap ?? false);
  const cut = shrinkToFit(wrapped, width, isCuttable);
  return shrinkToFit(cut, width, () => true);
}

const isUncuttable = <T>({ isId, isWhole }: ListColumn<T>): boolean => isId ?? isWhole ?? false;

const titleOf = <T>({ title, name }: ListColumn<T>): string => title ?? name;

const cellOf = <T>(item: T, spec: ListColumn<T>): string => {
  const text = formatCellText(spec.display ? spec.display(item) : readCell(spec, item));
  return sanitizeLine(formatIfTime(text) || EMPTY_CELL);
};

function takeFittingColumns<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  if (width === 0) return columns;
  let left = width + GAP;
  return columns.filter((column) => {
    left -= column.width + GAP;
    return left >= 0;
  });
}

/** Leaves out columns from the right, never an id, until the others are readable. Without an id, two columns stay. */
function chooseColumns<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const minColumns = columns.some(({ spec }) => spec.isId) ? 1 : 2;
  let kept = columns;
  while (width > 0 && kept.length > minColumns && measureColumns(kept, minWidthOf) > width) {
    const last = kept.findLast(({ spec }) => !spec.isId);
    if (last === undefined) break;
    kept = kept.filter((column) => column !== last);
  }
  return kept;
}

/** The width at which a column is still readable. */
const minWidthOf = <T>({ spec, width }: Column<T>): number =>
  isUncuttable(spec) && !spec.canWrap ? width : Math.min(width, MIN_READABLE_WIDTH);

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

function drawHeading<T>(columns: readonly Column<T>[], isCut: boolean, head: ListTableStyle["head"]): string {
  const titles = columns.map((column) => splitLine(titleOf(column.spec), column, isCut));
  return [...drawRows(toLines(titles), layoutOf(columns))].map((line) => `${head(line)}\n`).join("");
}

function* drawLines<T>(lines: readonly string[][], columns: readonly Column<T>[]): Generator<string> {
  for (const line of drawRows(lines, layoutOf(columns))) yield `${line}\n`;
}

const layoutOf = <T>(columns: readonly Column<T>[]): RowLayout => ({
  widths: columns.map(({ width }) => width),
  columns: columns.map(({ spec }) => spec),
  gap: GAP,
  indent: 0,
});

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

export function toLines(cells: readonly (readonly string[])[]): string[][] {
  const height = cells.reduce((max, { length }) => Math.max(max, length), 0);
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}
