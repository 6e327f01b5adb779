import type { ChalkInstance } from "chalk";
import { formatIfTime } from "../../domain/times.ts";
import { wrapAtSpaces, wrapCommand } from "../../domain/wrap-text.ts";
import { drawRows, type RowLayout, splitLongText } from "./draw-rows.ts";
import { shrinkToFit, toLines } from "./list-table.ts";
import type { Block, Card, Cell, TableBlock } from "./output.ts";
import { createChalk, paintState, type TerminalStyle } from "./paint.ts";
import { sanitizeLine } from "./sanitize.ts";
import { measureWidest, measureWidth } from "./wrap.ts";

export function renderForTerminal(blocks: readonly Block[], stream: TerminalStyle): string {
  const { columns: width, hasColour } = stream;
  const chalk = createChalk(hasColour);
  const texts = blocks.map((block) =>
    [...renderTitle(block, chalk, width), ...renderBody(block, chalk, width)].join("\n"),
  );
  return `${texts.join("\n\n")}\n`;
}

function renderTitle(block: Block, chalk: ChalkInstance, width: number): readonly string[] {
  if (block.title === undefined) return [];
  const bold = chalk.bold(wrapText(sanitizeLine(block.title), width));
  if (block.kind !== "card" || block.tone === undefined) return [bold];
  return [block.tone === "good" ? chalk.green(bold) : chalk.red(bold)];
}

function renderBody(block: Block, chalk: ChalkInstance, width: number): readonly string[] {
  if (block.kind === "paragraph" && block.isAdvice)
    return block.lines.flatMap((line) => wrapAdvice(sanitizeLine(line), width));
  if (block.kind === "paragraph") return block.lines.map(sanitizeLine);
  if (block.kind === "card" && block.rows.length === 0) return [];
  return [block.kind === "card" ? renderCard(block, chalk, width) : renderTable(block, chalk, width)];
}

/** Between words; a command as a shell takes it. */
function wrapAdvice(line: string, width: number): readonly string[] {
  if (width === 0 || measureWidth(line) <= width) return [line];
  const [, indent = "", text = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const left = width - indent.length;
  const lines = /^(\$ )?claims /.test(text)
    ? wrapCommand(text, left, measureWidth)
    : wrapAtSpaces(text, left - INDENT, measureWidth).map((part, at) => (at === 0 ? part : `  ${part}`));
  return lines.map((part) => indent + part);
}

const formatCell = (cell: Cell): string => sanitizeLine(formatIfTime(String(cell ?? "–")));

function renderCard({ rows }: Card, chalk: ChalkInstance, width: number): string {
  const names = rows.map(([name]) => sanitizeLine(name));
  const left = width - INDENT - CARD_GAP - measureWidest(names);
  const valueWidth = width && Math.max(left, MIN_WRAP_WIDTH);
  const lines = rows.map(([name, value], index) => [
    chalk.dim(wrapText(names[index] ?? "", 0)),
    paintState(chalk, wrapText(formatCell(value), valueWidth), name),
  ]);
  return drawCells(lines, [{}, {}], CARD_GAP);
}

function renderTable(
  { columns, rows, maxRows = rows.length }: TableBlock,
  chalk: ChalkInstance,
  width: number,
): string {
  const cells = rows.slice(0, maxRows).map((row) => row.map(formatCell));
  const heads = columns.map(({ name }) => sanitizeLine(name));
  const measured = columns.map((_, index) => ({
    width: measureWidest([heads, ...cells].map((row) => row[index] ?? "")),
    // Cells wrap at spaces and are never cut.
    canShrink: cells.some((row) => row[index]?.includes(" ")),
  }));
  const fitting = shrinkToFit(measured, width && width - INDENT, ({ canShrink }) => canShrink);
  const lines = cells.map((row) =>
    row.map((cell, index) =>
      paintState(chalk, wrapText(cell, fitting[index]?.width ?? 0), columns[index]?.name ?? ""),
    ),
  );
  return drawCells([heads.map((head) => chalk.dim(wrapText(head, 0))), ...lines], columns, TABLE_GAP);
}

const INDENT = 2;
const CARD_GAP = 4;
const TABLE_GAP = 2;
const MIN_WRAP_WIDTH = 20;

const wrapText = (text: string, width: number): string =>
  (width === 0 || measureWidth(text) <= width ? [text] : wrapAtSpaces(text, width, measureWidth))
    .flatMap(splitLongText)
    .join("\n");

/** A cell may have several lines. */
function drawCells(rows: readonly string[][], columns: RowLayout["columns"], gap: number): string {
  const lines = rows.flatMap((row) => toLines(row.map((cell) => cell.split("\n"))));
  const widths = columns.map((_, index) => measureWidest(lines.map((cells) => cells[index] ?? "")));
  return [...drawRows(lines, { widths, columns, gap, indent: INDENT })].join("\n");
}
