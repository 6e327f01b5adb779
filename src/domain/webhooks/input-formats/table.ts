import { Buffer } from "node:buffer";
import { CsvReader } from "../../entries/csv/csv-reader.ts";
import { isRecord } from "../../json.ts";
import { orNull } from "../explain/encodings.ts";

/** The cells of each row of a table with quotes (RFC 4180), up to a row whose quotes are broken. */
function readRows(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const reader = new CsvReader((record) => rows.push(record.cellTexts()), delimiter);
  orNull(() => {
    reader.push(Buffer.from(text));
    reader.end();
  });
  return rows;
}

const NAME = /^"?@?[A-Za-z_][\w .@:/()[\]-]{0,60}"?$/;

/** The records of a table whose first row has names; null for other text. */
export function parseTable(text: string, header: string): readonly Readonly<Record<string, string>>[] | null {
  const delimiter = [",", "\t", ";"].find((each) => {
    const names = header.replace(/^\ufeff/, "").split(each);
    return names.length > 1 && names.every((name) => NAME.test(name.trim()));
  });
  if (delimiter === undefined) return null;
  const [names, ...cells] = readRows(text.replace(/^\ufeff?\s*/, ""), delimiter);
  if (names === undefined) return null;
  // A first line of a log can have commas, too.
  const isTable = cells.filter(({ length }) => length === names.length).length >= cells.length / 2;
  if (!isTable) return null;
  return cells.map((row) =>
    Object.fromEntries(row.map((cell, index) => [names[index]?.trim() || `column ${index + 1}`, cell])),
  );
}

/** The records of a table in JSON, whose columns have their names apart, as log services respond to a query; null for others. */
export function readJsonTable({
  columns,
  rows,
}: Readonly<Record<string, unknown>>): readonly unknown[] | null {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return null;
  const names = columns.map((column: unknown) => (isRecord(column) ? column.name : column));
  if (!names.every((name) => typeof name === "string") || !rows.every(Array.isArray)) return null;
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}
