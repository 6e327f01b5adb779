import { Chalk, type ChalkInstance } from "chalk";
import CliTable from "cli-table3";
import type { Block, Card, Cell, Table } from "./output.ts";
import { printable } from "./printable.ts";

export { tableLines } from "./list-table.ts";

/** Blocks for a person at a terminal. */
export function renderForTerminal(blocks: readonly Block[], colour: boolean): string {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  return `${blocks.map((block) => renderBlock(block, chalk)).join("\n\n")}\n`;
}

/** How the names of things look beside the things. */
export const dim = (colour: boolean): ChalkInstance => new Chalk({ level: colour ? 1 : 0 }).dim;

function renderBlock(block: Block, chalk: ChalkInstance): string {
  const title = block.title === undefined ? [] : [chalk.bold(printable(block.title))];
  return [...title, ...bodyOf(block, chalk)].join("\n");
}

function bodyOf(block: Block, chalk: ChalkInstance): readonly string[] {
  if (block.kind === "paragraph") return block.lines.map(printable);
  return [block.kind === "card" ? renderCard(block, chalk) : renderTable(block, chalk)];
}

const shown = (cell: Cell): string => printable(String(cell ?? "–"));

function renderCard({ rows }: Card, chalk: ChalkInstance): string {
  const table = bare([]);
  for (const [name, value] of rows) table.push([chalk.dim(printable(name)), shown(value)]);
  return trimmed(table);
}

function renderTable({ columns, rows, most = rows.length }: Table, chalk: ChalkInstance): string {
  const table = bare(columns.map(({ align }) => align ?? "left"));
  table.push(columns.map(({ name }) => chalk.dim(name)));
  for (const row of rows.slice(0, most)) table.push(row.map(shown));
  return trimmed(table);
}

const NO_LINES = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid", "middle"]
    .flatMap((side) => [side, `${side}-left`, `${side}-mid`, `${side}-right`])
    .concat("top-mid", "bottom-mid", "left-mid", "mid-mid", "right-mid")
    .map((part) => [part, ""]),
);

const bare = (colAligns: ("left" | "right")[]) =>
  new CliTable({
    chars: { ...NO_LINES, middle: "  " },
    colAligns,
    style: { "padding-left": 2, "padding-right": 0, head: [], border: [] },
  });

const trimmed = (table: { toString(): string }): string =>
  table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
