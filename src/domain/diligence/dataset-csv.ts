import { valueAt } from "../json.ts";
import { quoteDelimitedCell } from "../text.ts";
import { DATASET_COLUMNS, type DatasetRow, formatDatasetCell } from "./dataset.ts";

/** Writes a dataset as CSV (RFC 4180). */
export function createCsvWriter(delimiter = ",") {
  const writeLine = (cells: readonly string[]): string =>
    `${cells.map((cell) => quoteDelimitedCell(cell, delimiter)).join(delimiter)}\r\n`;
  return {
    header: writeLine(DATASET_COLUMNS),
    writeRow: (row: DatasetRow): string =>
      writeLine(DATASET_COLUMNS.map((column) => formatDatasetCell(valueAt(row, column)))),
  };
}
