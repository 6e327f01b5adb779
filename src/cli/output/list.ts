import type { Context } from "../context.ts";
import { formatCsvLine, formatTabbedLine } from "./cell-text.ts";
import type { FieldSelection, PrintStyle } from "./format.ts";
import { type ListOutput, readCell } from "./output.ts";
import { printMessage } from "./stderr.ts";

/** The items with the fields that `--fields` names. The document of the service would have all. */
function selectFields(output: ListOutput, selection: FieldSelection): ListOutput {
  const { emptyMessage, idOf, kind, toRow = (item) => item, toRecord = toRow, toSent = toRecord } = output;
  const pick = (item: unknown) => selection.pick(toSent(item), toRecord(item));
  // Pages that still arrive show only at their end that no item has a field.
  const isComplete = Array.isArray(output.items);
  const items = isComplete ? output.items.map(pick) : mapItems(output.items, pick);
  if (isComplete) selection.throwIfMissing();
  return { kind, items, columns: selection.columns(), idOf, emptyMessage };
}

export async function* renderList(
  given: ListOutput,
  context: Context,
  { format: chosen, selection }: PrintStyle,
): AsyncGenerator<Uint8Array | string> {
  const { isTerminal } = context.stdout;
  const format = chosen === "text" && !isTerminal ? (given.pipeFormat ?? "text") : chosen;
  const output = selection ? selectFields(given, selection) : given;
  const { columns, document, items, toRow = (item) => item, toRecord = toRow, toSent = toRecord } = output;
  const { toJson = (item) => JSON.stringify(toSent(item)) } = output;
  const rows = mapItems(items, toRow);
  const readCells = (row: unknown) => columns.map((column) => readCell(column, row));

  if (format === "json") yield* document ? document() : renderJsonArray(items, toJson);
  else if (format === "ndjson") yield* mapItems(items, (item) => `${toJson(item)}\n`);
  // A line break in an id of the service must not make two ids.
  else if (format === "ids") yield* mapItems(given.items, (item) => formatId(given.idOf(item)));
  else if (format === "csv") {
    yield formatCsvLine(columns.map(({ name }) => name));
    yield* mapItems(rows, (row) => formatCsvLine(readCells(row)));
  } else if (isTerminal) yield* renderTable(given, context, rows, columns);
  else yield* mapItems(rows, (row) => formatTabbedLine(readCells(row)));
  selection?.throwIfMissing();
}

async function* renderTable(
  { details, emptyMessage }: ListOutput,
  { stderr, stdout }: Context,
  rows: ListOutput["items"],
  columns: ListOutput["columns"],
): AsyncGenerator<string> {
  const { renderForTerminal } = await import("./blocks.ts");
  const { renderTableLines } = await import("./list-table.ts");
  let isEmpty = true;
  for await (const line of renderTableLines(rows, columns, stdout)) {
    isEmpty = false;
    yield line;
  }
  if (isEmpty && emptyMessage !== "") printMessage({ stderr }, emptyMessage);
  else if (details) yield `\n${renderForTerminal(details(), stdout)}`;
}

export const formatId = (id: string | null | undefined): string => (id ? formatTabbedLine([id]) : "");

async function* mapItems<T, R>(items: AsyncIterable<T> | Iterable<T>, map: (item: T) => R) {
  for await (const item of items) yield map(item);
}

export async function* renderJsonArray<T>(
  items: AsyncIterable<T> | Iterable<T>,
  toJson: (item: T) => string,
): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const item of items) {
    yield separator + toJson(item);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}
