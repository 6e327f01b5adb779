import type { CsvFormat } from "../../../../contract/mapping/mapping.ts";
import { pathOf, putAtPath } from "../../../../contract/mapping/path.ts";
import { DATASET_COLUMNS } from "../../../../domain/diligence/dataset.ts";
import { CsvReader } from "../../../../domain/entries/csv/csv-reader.ts";
import { formatCsvLine } from "../../../output/cell-text.ts";
import { listFields } from "../../../output/record-card.ts";
import type { DatasetEntry } from "./dataset.ts";

/** The rows of a dataset that is CSV alone, by the names of its columns. @throws EntryFileError for broken CSV */
export async function* readCsvEntries(
  body: AsyncIterable<Uint8Array>,
  { delimiter = ",", decimal = "." }: CsvFormat,
): AsyncGenerator<DatasetEntry> {
  let names: readonly string[] | null = null;
  let entries: DatasetEntry[] = [];
  const reader = new CsvReader((record) => {
    const cells = record.cellTexts();
    if (names === null) names = cells;
    else if (cells.some((cell) => cell !== "")) entries.push(toEntry(names, cells, decimal));
  }, delimiter);
  for await (const bytes of body) {
    reader.push(bytes);
    yield* entries;
    entries = [];
  }
  reader.end();
  yield* entries;
}

function toEntry(names: readonly string[], cells: readonly string[], decimal: string): DatasetEntry {
  const entry: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const isKnown = DATASET_COLUMNS.includes(name);
    const path = isKnown ? pathOf(...name.split(".")) : pathOf(name);
    putAtPath(entry, path, readCell(cells[index] ?? "", isKnown && name.endsWith("Cents"), decimal));
  }
  return entry;
}

/** A number gets the decimal mark of programs. */
function readCell(cell: string, isAmount: boolean, decimal: string): unknown {
  if (isAmount && /^-?\d{1,15}$/.test(cell)) return Number(cell);
  const isDecimal = decimal === "," && /^-?\d{1,3}(\.?\d{3})*,\d+$/.test(cell);
  return isDecimal ? cell.replaceAll(".", "").replace(",", ".") : cell;
}

/** The entries of a service that has no CSV: a column for each field of any entry. */
export async function* renderCsvOfEntries(entries: AsyncIterable<DatasetEntry>): AsyncGenerator<string> {
  const rows: ReadonlyMap<string, unknown>[] = [];
  for await (const entry of entries) rows.push(new Map(listFields(entry)));
  const paths = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  yield formatCsvLine(paths);
  for (const row of rows) yield formatCsvLine(paths.map((path) => row.get(path)));
}
