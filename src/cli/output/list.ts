import type { Context } from "../context.ts";
import { say } from "../say.ts";
import { csvLine, tabbedLine } from "./cell-text.ts";
import { wantsColour } from "./colour.ts";
import type { Column, ListOutput } from "./output.ts";
import type { Style } from "./print.ts";

/** A list in the format that was asked for, item by item. */
export async function* listBytes(
  output: ListOutput,
  context: Context,
  { format: asked, chosen, color }: Style,
): AsyncGenerator<Uint8Array | string> {
  const { recordOf = (item) => item, piped = "text" } = output;
  const format = asked === "text" && !context.stdout.isTerminal ? piped : asked;
  const items = chosen ? picked(output.items, (item) => chosen.pick(recordOf(item))) : output.items;
  const columns = chosen ? chosen.columns() : output.columns;
  const plain = (item: unknown) => JSON.stringify(chosen ? item : recordOf(item));
  const jsonOf = (!chosen && output.jsonOf) || plain;

  if (format === "json" && !chosen && output.document) yield* output.document();
  else if (format === "json") yield* jsonArray(items, jsonOf);
  else if (format === "ndjson") for await (const item of items) yield `${jsonOf(item)}\n`;
  else if (format === "ids") yield* ids(output);
  else if (format === "csv") {
    yield csvLine(columns.map(({ name }) => name));
    for await (const item of items) yield csvLine(columns.map(({ of }) => of(item)));
  } else if (!context.stdout.isTerminal) {
    for await (const item of items) yield tabbedLine(columns.map(({ of }) => of(item)));
  } else yield* forPerson(items, columns, output.empty, context, color);
}

type Items = AsyncIterable<unknown> | Iterable<unknown>;

async function* picked(items: Items, pick: (item: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const item of items) yield pick(item);
}

async function* ids({ items, idOf }: ListOutput): AsyncGenerator<string> {
  for await (const item of items) {
    const id = idOf(item);
    // It came from elsewhere: a line end in it would make it two ids for the command that reads them.
    if (id !== null) yield tabbedLine([id]);
  }
}

/** Items as one JSON document, each in a line of its own. */
export async function* jsonArray<T>(
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

async function* forPerson(
  items: Items,
  columns: readonly Column<unknown>[],
  empty: string,
  context: Context,
  flag: boolean | undefined,
): AsyncGenerator<string> {
  const { tableLines, dim } = await import("./blocks.ts");
  const { env, stdout } = context;
  const { isTerminal } = stdout;
  const head = dim(wantsColour({ flag, env, isTerminal }));
  let isEmpty = true;
  for await (const line of tableLines(items, columns, stdout.columns, head)) {
    isEmpty = false;
    yield line;
  }
  if (isEmpty) say(context, empty);
}
