import { Chalk, type ChalkInstance } from "chalk";
import CliTable from "cli-table3";
import { measureWidth, shrinkWidths, wrapAtSpaces } from "./list-table.ts";
import type { Block, Card, Cell, Table } from "./output.ts";
import { sanitizeLine } from "./sanitize.ts";

export { renderTableLines } from "./list-table.ts";

/** How to draw. */
interface TerminalStyle {
  readonly colour: boolean;
  /** Characters of a line; 0 where that is unknown. */
  readonly width: number;
}

/** Blocks for a person at a terminal. */
export function renderForTerminal(blocks: readonly Block[], { colour, width }: TerminalStyle): string {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  return `${blocks.map((block) => renderBlock(block, chalk, width)).join("\n\n")}\n`;
}

/** How the names of things look beside the things. */
export const createDimStyle = (colour: boolean): ChalkInstance => new Chalk({ level: colour ? 1 : 0 }).dim;

function renderBlock(block: Block, chalk: ChalkInstance, width: number): string {
  const title = block.title === undefined ? [] : [chalk.bold(sanitizeLine(block.title))];
  return [...title, ...renderBody(block, chalk, width)].join("\n");
}

function renderBody(block: Block, chalk: ChalkInstance, width: number): readonly string[] {
  if (block.kind === "paragraph") return block.lines.map(sanitizeLine);
  return [block.kind === "card" ? renderCard(block, chalk, width) : renderTable(block, chalk, width)];
}

const formatCell = (cell: Cell): string => sanitizeLine(String(cell ?? "–"));

function renderCard({ rows }: Card, chalk: ChalkInstance, width: number): string {
  const names = rows.map(([name]) => sanitizeLine(name));
  const left = width - INDENT - CARD_GAP - Math.max(0, ...names.map(measureWidth));
  const table = createPlainTable([], CARD_GAP);
  for (const [index, [, value]] of rows.entries())
    table.push([
      chalk.dim(names[index]),
      wrapText(formatCell(value), width && Math.max(left, MIN_WRAP_WIDTH)).join("\n"),
    ]);
  return trimLines(table);
}

function renderTable(
  { columns, rows, maxRows: most = rows.length }: Table,
  chalk: ChalkInstance,
  width: number,
): string {
  const cells = rows.slice(0, most).map((row) => row.map(formatCell));
  const natural = columns.map(({ name }, index) =>
    Math.max(measureWidth(name), ...cells.map((row) => measureWidth(row[index] ?? ""))),
  );
  // Only what has spaces can be broken, and nothing here is cut.
  const mayGive = (index: number) => cells.some((row) => row[index]?.includes(" "));
  const widths = shrinkWidths(natural, width && width - INDENT, mayGive);
  const table = createPlainTable(
    columns.map(({ align }) => align ?? "left"),
    TABLE_GAP,
  );
  table.push(columns.map(({ name }) => chalk.dim(name)));
  for (const row of cells)
    table.push(row.map((cell, index) => wrapText(cell, widths[index] ?? 0).join("\n")));
  return trimLines(table);
}

/** Characters before a line, and between its columns. */
const INDENT = 2;
const CARD_GAP = 4;
const TABLE_GAP = 2;

/** Text is not broken into shorter lines than this. */
const MIN_WRAP_WIDTH = 20;

const wrapText = (text: string, width: number): readonly string[] =>
  width === 0 || measureWidth(text) <= width ? [text] : wrapAtSpaces(text, width);

const NO_BORDERS = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid", "middle"]
    .flatMap((side) => [side, `${side}-left`, `${side}-mid`, `${side}-right`])
    .concat("top-mid", "bottom-mid", "left-mid", "mid-mid", "right-mid")
    .map((part) => [part, ""]),
);

const createPlainTable = (colAligns: ("left" | "right")[], gap: number) =>
  new CliTable({
    chars: { ...NO_BORDERS, middle: " ".repeat(gap - INDENT) },
    colAligns,
    style: { "padding-left": INDENT, "padding-right": 0, head: [], border: [] },
  });

const trimLines = (table: { toString(): string }): string =>
  table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
