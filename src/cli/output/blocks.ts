import { Chalk, type ChalkInstance } from "chalk";
import CliTable from "cli-table3";
import { brokenAtSpaces, narrowed, widthOf } from "./list-table.ts";
import type { Block, Card, Cell, Table } from "./output.ts";
import { printable } from "./printable.ts";

export { tableLines } from "./list-table.ts";

/** How to draw. */
interface Look {
  readonly colour: boolean;
  /** Characters of a line; 0 where that is unknown. */
  readonly width: number;
}

/** Blocks for a person at a terminal. */
export function renderForTerminal(blocks: readonly Block[], { colour, width }: Look): string {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  return `${blocks.map((block) => renderBlock(block, chalk, width)).join("\n\n")}\n`;
}

/** How the names of things look beside the things. */
export const dim = (colour: boolean): ChalkInstance => new Chalk({ level: colour ? 1 : 0 }).dim;

function renderBlock(block: Block, chalk: ChalkInstance, width: number): string {
  const title = block.title === undefined ? [] : [chalk.bold(printable(block.title))];
  return [...title, ...bodyOf(block, chalk, width)].join("\n");
}

function bodyOf(block: Block, chalk: ChalkInstance, width: number): readonly string[] {
  if (block.kind === "paragraph") return block.lines.map(printable);
  return [block.kind === "card" ? renderCard(block, chalk, width) : renderTable(block, chalk, width)];
}

const shown = (cell: Cell): string => printable(String(cell ?? "–"));

function renderCard({ rows }: Card, chalk: ChalkInstance, width: number): string {
  const names = rows.map(([name]) => printable(name));
  const left = width - INDENT - CARD_GAP - Math.max(0, ...names.map(widthOf));
  const table = bare([], CARD_GAP);
  for (const [index, [, value]] of rows.entries())
    table.push([chalk.dim(names[index]), wrapped(shown(value), width && Math.max(left, NARROW)).join("\n")]);
  return trimmed(table);
}

function renderTable(
  { columns, rows, most = rows.length }: Table,
  chalk: ChalkInstance,
  width: number,
): string {
  const cells = rows.slice(0, most).map((row) => row.map(shown));
  const natural = columns.map(({ name }, index) =>
    Math.max(widthOf(name), ...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  // Only what has spaces can be broken, and nothing here is cut.
  const mayGive = (index: number) => cells.some((row) => row[index]?.includes(" "));
  const widths = narrowed(natural, width && width - INDENT, mayGive);
  const table = bare(
    columns.map(({ align }) => align ?? "left"),
    TABLE_GAP,
  );
  table.push(columns.map(({ name }) => chalk.dim(name)));
  for (const row of cells) table.push(row.map((cell, index) => wrapped(cell, widths[index] ?? 0).join("\n")));
  return trimmed(table);
}

/** Characters before a line, and between its columns. */
const INDENT = 2;
const CARD_GAP = 4;
const TABLE_GAP = 2;

/** Text is not broken into shorter lines than this. */
const NARROW = 20;

const wrapped = (text: string, width: number): readonly string[] =>
  width === 0 || widthOf(text) <= width ? [text] : brokenAtSpaces(text, width);

const NO_LINES = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid", "middle"]
    .flatMap((side) => [side, `${side}-left`, `${side}-mid`, `${side}-right`])
    .concat("top-mid", "bottom-mid", "left-mid", "mid-mid", "right-mid")
    .map((part) => [part, ""]),
);

const bare = (colAligns: ("left" | "right")[], gap: number) =>
  new CliTable({
    chars: { ...NO_LINES, middle: " ".repeat(gap - INDENT) },
    colAligns,
    style: { "padding-left": INDENT, "padding-right": 0, head: [], border: [] },
  });

const trimmed = (table: { toString(): string }): string =>
  table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
