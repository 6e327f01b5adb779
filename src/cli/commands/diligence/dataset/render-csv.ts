import { isRecord, valueAt } from "../../../../domain/json.ts";
import { formatCsvLine } from "../../../output/cell-text.ts";
import type { DatasetEntry } from "./entries.ts";

const listPaths = (entry: DatasetEntry): readonly string[] =>
  Object.entries(entry).flatMap(([name, value]) =>
    isRecord(value) ? listPaths(value).map((inner) => `${name}.${inner}`) : [name],
  );

/** The entries of a service that has no CSV: a column for each field of any entry. */
export async function* renderCsvOfEntries(entries: AsyncIterable<DatasetEntry>): AsyncGenerator<string> {
  const all: DatasetEntry[] = [];
  for await (const entry of entries) all.push(entry);
  const paths = [...new Set(all.flatMap(listPaths))];
  yield formatCsvLine(paths);
  for (const entry of all) yield formatCsvLine(paths.map((path) => valueAt(entry, path)));
}
