import { formatCellText } from "./cell-text.ts";
import { drawRows, splitLongText } from "./draw-rows.ts";
import { type ListColumn, readCell } from "./output.ts";
import { packLines } from "./pack-lines.ts";
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

type Columns<T> = readonly ListColumn<T>[];

interface Layout<T> {
  readonly columns: Columns<T>;
  readonly widths: readonly number[];
  /** Whether a cell that is wider than its column is cut. */
  readonly isCut: boolean;
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
export async function* renderTableLines<T>(items: Items<T>, columns: Columns<T>, style: ListTableStyle) {
  const visible = columns.filter(({ isHidden }) => !isHidden);
  if (visible.every((column) => column.width !== undefined)) yield* renderAsTheyArrive(items, visible, style);
  else yield* renderMeasured(items, visible, style);
}

async function* renderAsTheyArrive<T>(
  items: Items<T>,
  all: Columns<T>,
  { width, head, paint, onOmitted }: ListTableStyle,
): AsyncGenerator<string> {
  const hasLinesBelow =
    all.some(({ isBelow }) => isBelow) && takeFittingColumns(all, width).length < all.length;
  const below = hasLinesBelow ? findColumnsBelow(all) : [];
  const columns = takeFittingColumns(
    all.filter((column) => !below.includes(column)),
    width,
  );
  const layout = { columns, widths: columns.map((column) => column.width ?? 0), isCut: true };
  let isFirst = true;
  for await (const item of items) {
    if (isFirst) {
      reportOmitted(all, [...columns, ...below], onOmitted);
      yield drawHeading(layout, head);
      isFirst = false;
    }
    yield* drawItems([cellsOf(item, columns)], layout, paint);
    yield* drawLinesBelow(cellsOf(item, below), width);
  }
}

async function* renderMeasured<T>(
  items: Items<T>,
  all: Columns<T>,
  { width, head, paint, onOmitted }: ListTableStyle,
): AsyncGenerator<string> {
  const table: string[][] = [];
  for await (const item of items) table.push(cellsOf(item, all));
  if (table.length === 0) return;
  const cellAt = (row: readonly string[], column: ListColumn<T>) => row[all.indexOf(column)] ?? "";
  const columns = all.filter(
    (column) => !column.isOptional || table.some((row) => cellAt(row, column) !== EMPTY_CELL),
  );
  const natural = columns.map((column) =>
    measureWidest([titleOf(column), ...table.map((row) => cellAt(row, column))].flatMap(splitLongText)),
  );
  const widthOf = (column: ListColumn<T>) => natural[columns.indexOf(column)] ?? 0;
  const kept = chooseColumns(columns, columns.map(widthOf), width);
  const below = findColumnsBelow(columns);
  const others = columns.filter((column) => !below.includes(column));
  const withoutBelow = chooseColumns(others, others.map(widthOf), width);
  const gainsText = withoutBelow.some((column) => column.canWrap && !kept.includes(column));
  const isTooWide = width > 0 && natural.reduce((sum, each) => sum + each + GAP, -GAP) > width;
  const hasLinesBelow =
    (isTooWide && columns.some(({ isBelow }) => isBelow)) ||
    (below.length > 0 && (gainsText || needsIdLines(kept.length, below.length, columns.length)));
  const shown = hasLinesBelow ? withoutBelow : kept;
  const layout = {
    columns: shown,
    widths: shrinkColumns(shown.map(widthOf), shown, width),
    isCut: width > 0,
  };
  reportOmitted(columns, hasLinesBelow ? [...below, ...shown] : shown, onOmitted);
  yield drawHeading(layout, head);
  const drawRowsOf = (rows: readonly string[][]) =>
    drawItems(
      rows.map((row) => shown.map((column) => cellAt(row, column))),
      layout,
      paint,
    );
  if (!hasLinesBelow) yield* drawRowsOf(table);
  else
    for (const row of table) {
      yield* drawRowsOf([row]);
      yield* drawLinesBelow(
        below.map((column) => cellAt(row, column)),
        width,
      );
    }
}

/** Ids first, because commands take them. */
const findColumnsBelow = <T>(columns: Columns<T>): Columns<T> => [
  ...columns.filter(({ isId }) => isId),
  ...columns.filter(({ isId, isBelow }) => isBelow && !isId),
];

function* drawLinesBelow(cells: readonly string[], width: number): Generator<string> {
  const texts = cells.filter((cell) => cell !== EMPTY_CELL);
  if (texts.length === 0) return;
  for (const line of packLines(texts, "  ", width - INDENT_BELOW, measureWidth))
    for (const part of wrapLine(line, width - INDENT_BELOW)) yield `${" ".repeat(INDENT_BELOW)}${part}\n`;
}

/** Whether the ids get a line below the rest of their row: a narrow terminal has hardly any space next to them. */
const needsIdLines = (kept: number, ids: number, all: number): boolean =>
  (kept === ids && kept < all) || (kept === ids + 1 && kept < all - 1);

function reportOmitted<T>(
  columns: Columns<T>,
  shown: Columns<T>,
  onOmitted: ListTableStyle["onOmitted"],
): void {
  const names = columns.filter((column) => !shown.includes(column)).map(({ name }) => name);
  if (names.length > 0)
    onOmitted(`not shown, for lack of space: ${names.join(", ")}; --fields or --csv shows them`);
}

/** Half an id or amount is useless, so these columns shrink last. */
function shrinkColumns<T>(natural: readonly number[], columns: Columns<T>, width: number): readonly number[] {
  const isCuttable = (index: number) => !isUncuttable(columns[index]);
  const readable = shrinkWidths(natural, width, isCuttable, MIN_READABLE_WIDTH);
  const wrapped = shrinkWidths(readable, width, (index) => columns[index]?.canWrap ?? false);
  const cut = shrinkWidths(wrapped, width, isCuttable);
  return shrinkWidths(cut, width, () => true);
}

const isUncuttable = <T>(column: ListColumn<T> | undefined): boolean =>
  column?.isId ?? column?.isWhole ?? false;

const titleOf = <T>({ title, name }: ListColumn<T>): string => title ?? name;

const cellsOf = <T>(item: T, columns: Columns<T>): string[] =>
  columns.map((column) =>
    sanitizeLine(
      formatCellText(column.display ? column.display(item) : readCell(column, item)) || EMPTY_CELL,
    ),
  );

function takeFittingColumns<T>(columns: Columns<T>, width: number): Columns<T> {
  if (width === 0) return columns;
  let left = width + GAP;
  return columns.filter((column) => {
    left -= (column.width ?? 0) + GAP;
    return left >= 0;
  });
}

/** Leaves out columns from the right, never an id, until the others are readable. Without an id, two columns stay. */
function chooseColumns<T>(columns: Columns<T>, natural: readonly number[], width: number): Columns<T> {
  const canShrink = (column: ListColumn<T> | undefined) => !isUncuttable(column) || column?.canWrap;
  const minimum = natural.map(
    (each, index) => (canShrink(columns[index]) ? Math.min(each, MIN_READABLE_WIDTH) : each) + GAP,
  );
  const kept = [...columns.keys()];
  const totalWidth = () => kept.reduce((sum, index) => sum + (minimum[index] ?? 0), -GAP);
  const minColumns = columns.some(({ isId }) => isId) ? 1 : 2;
  while (width > 0 && kept.length > minColumns && totalWidth() > width) {
    const last = kept.findLastIndex((index) => !columns[index]?.isId);
    if (last < 0) break;
    kept.splice(last, 1);
  }
  return kept.flatMap((index) => columns[index] ?? []);
}

export function shrinkWidths(
  widths: readonly number[],
  width: number,
  canShrink: (index: number) => boolean,
  min = MIN_COLUMN_WIDTH,
): readonly number[] {
  if (width === 0) return widths;
  const result = [...widths];
  let excess = result.reduce((sum, each) => sum + each + GAP, -GAP) - width;
  while (excess > 0) {
    const largest = Math.max(0, ...result.filter((_, index) => canShrink(index)));
    if (largest <= min) break;
    result[result.findIndex((each, index) => each === largest && canShrink(index))] = largest - 1;
    excess -= 1;
  }
  return result;
}

function drawHeading<T>(layout: Layout<T>, head: ListTableStyle["head"]): string {
  const cells = layout.columns.map((column, index) => splitLine(titleOf(column), index, layout));
  const lines = [...drawRows(toLines(cells), { ...layout, gap: GAP, indent: 0 })];
  return lines.map((line) => `${head(line)}\n`).join("");
}

function* drawItems<T>(
  rows: readonly (readonly string[])[],
  layout: Layout<T>,
  paint: ListTableStyle["paint"],
): Generator<string> {
  const lines = rows.flatMap((row) =>
    toLines(row.map((cell, index) => splitCell(cell, index, layout, paint))),
  );
  for (const line of drawRows(lines, { ...layout, gap: GAP, indent: 0 })) yield `${line}\n`;
}

function splitCell<T>(cell: string, at: number, layout: Layout<T>, paint: ListTableStyle["paint"]): string[] {
  const { name = "", canWrap } = layout.columns[at] ?? {};
  const lines = canWrap ? wrapLine(cell, layout.widths[at] ?? 0) : [cell];
  return lines.flatMap((line) => splitLine(line, at, layout)).map((line) => paint(line, name));
}

const splitLine = <T>(line: string, at: number, { widths, isCut }: Layout<T>): string[] =>
  splitLongText(isCut ? truncate(line, widths[at] ?? 0) : line);

export function toLines(cells: readonly (readonly string[])[]): string[][] {
  const height = cells.reduce((max, { length }) => Math.max(max, length), 0);
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ""));
}
