import type { Context } from "../context.ts";
import { formatCsvLine, formatTabbedLine } from "./cell-text.ts";
import { shouldUseColour } from "./colour.ts";
import { type ListColumn, type ListOutput, readCell } from "./output.ts";
import type { PrintStyle } from "./print.ts";
import { printMessage } from "./stderr.ts";

/** A list in the format that was asked for, item by item. */
export async function* renderList(
  output: ListOutput,
  context: Context,
  { format: asked, selection: chosen, color }: PrintStyle,
): AsyncGenerator<Uint8Array | string> {
  const { toRecord: recordOf = (item) => item, pipeFormat: piped = "text" } = output;
  const format = asked === "text" && !context.stdout.isTerminal ? piped : asked;
  const items = chosen ? pickFields(output.items, (item) => chosen.pick(recordOf(item))) : output.items;
  const columns = chosen ? chosen.columns() : output.columns;
  const plain = (item: unknown) => JSON.stringify(chosen ? item : recordOf(item));
  const jsonOf = (!chosen && output.toJson) || plain;

  if (format === "json" && !chosen && output.document) yield* output.document();
  else if (format === "json") yield* renderJsonArray(items, jsonOf);
  else if (format === "ndjson") for await (const item of items) yield `${jsonOf(item)}\n`;
  else if (format === "ids") yield* listIds(output);
  else if (format === "csv") {
    yield formatCsvLine(columns.map(({ name }) => name));
    for await (const item of items) yield formatCsvLine(columns.map((column) => readCell(column, item)));
  } else if (!context.stdout.isTerminal) {
    for await (const item of items) yield formatTabbedLine(columns.map((column) => readCell(column, item)));
  } else yield* renderTable(items, columns, output.emptyMessage, context, color);
}

type Items = AsyncIterable<unknown> | Iterable<unknown>;

async function* pickFields(items: Items, pick: (item: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const item of items) yield pick(item);
}

async function* listIds({ items, idOf }: ListOutput): AsyncGenerator<string> {
  for await (const item of items) {
    const id = idOf(item);
    // It came from elsewhere: a line end in it would make it two ids for the command that reads them.
    if (id !== null) yield formatTabbedLine([id]);
  }
}

/** Items as one JSON document, each in a line of its own. */
export async function* renderJsonArray<T>(
  items: AsyncIterable<T> | Iterable<T>,
  jsonOf: (item: T) => string,
): AsyncGenerator<string> {
  let before = "[\n";
  for await (const item of items) {
    yield before + jsonOf(item);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

async function* renderTable(
  items: Items,
  columns: readonly ListColumn<unknown>[],
  empty: string,
  context: Context,
  flag: boolean | undefined,
): AsyncGenerator<string> {
  const { renderTableLines: tableLines, createDimStyle: dim } = await import("./blocks.ts");
  const { env, stdout } = context;
  const { isTerminal } = stdout;
  const head = dim(shouldUseColour({ flag, env, isTerminal }));
  let isEmpty = true;
  for await (const line of tableLines(items, columns, stdout.columns, head)) {
    isEmpty = false;
    yield line;
  }
  if (isEmpty) printMessage(context, empty);
}
