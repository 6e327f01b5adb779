import type { Context } from "../context.ts";
import { formatCsvLine, formatTabbedLine } from "./cell-text.ts";
import { type PrintStyle, shouldUseColour } from "./format.ts";
import { type ListOutput, readCell } from "./output.ts";
import { printMessage } from "./stderr.ts";

export async function* renderList(
  output: ListOutput,
  { env, stdout, stderr }: Context,
  { format: given, selection, color: flag }: PrintStyle,
): AsyncGenerator<Uint8Array | string> {
  const { toRow = (item) => item, toRecord = toRow, toSent = toRecord, pipeFormat = "text", idOf } = output;
  const { isTerminal } = stdout;
  const format = given === "text" && !isTerminal ? pipeFormat : given;
  const pick = (item: unknown) => selection?.pick(toSent(item), toRecord(item));
  const items = selection ? mapItems(output.items, pick) : output.items;
  const rows = selection ? items : mapItems(items, toRow);
  const columns = selection ? selection.columns() : output.columns;
  const toJson =
    (!selection && output.toJson) || ((item: unknown) => JSON.stringify(selection ? item : toSent(item)));
  const cells = (row: unknown) => columns.map((column) => readCell(column, row));

  if (format === "json" && !selection && output.document) yield* output.document();
  else if (format === "json") yield* renderJsonArray(items, toJson);
  else if (format === "ndjson") yield* mapItems(items, (item) => `${toJson(item)}\n`);
  // A line break in an id of the service must not make two ids.
  else if (format === "ids") yield* mapItems(output.items, (item) => formatId(idOf(item)));
  else if (format === "csv") {
    yield formatCsvLine(columns.map(({ name }) => name));
    yield* mapItems(rows, (row) => formatCsvLine(cells(row)));
  } else if (!isTerminal) yield* mapItems(rows, (row) => formatTabbedLine(cells(row)));
  else {
    const { renderForTerminal } = await import("./blocks.ts");
    const { renderTableLines } = await import("./list-table.ts");
    const style = { colour: shouldUseColour({ flag, env, isTerminal }), width: stdout.columns };
    let isEmpty = true;
    for await (const line of renderTableLines(rows, columns, style)) {
      isEmpty = false;
      yield line;
    }
    if (isEmpty && output.emptyMessage !== "") printMessage({ stderr }, output.emptyMessage);
    else if (output.details) yield `\n${renderForTerminal(output.details(), style)}`;
  }
  selection?.throwIfMissing();
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
