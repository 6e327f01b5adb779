import { relative, resolve } from "node:path";
import { CsvReader } from "../../../../domain/entries/csv/csv-reader.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { BatchRow } from "./row.ts";
import { type LocatedRow, validateRows } from "./validate-rows.ts";

/** What the command line says for rows that do not say it themselves. */
export interface RowDefaults {
  readonly seller: string | undefined;
  readonly protestDocs: boolean;
}

interface Line {
  readonly number: number;
  readonly cells: readonly string[];
}

/** Name of the column → what a row means by it. */
const COLUMNS: Readonly<Record<string, "file" | "seller" | "protestDocs">> = {
  file: "file",
  seller: "seller",
  seller_name: "seller",
  protest_docs: "protestDocs",
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * The rows of a manifest: CSV (RFC 4180) with a header.
 *
 * @param folder what its paths are relative to
 */
export async function readManifest(
  bytes: Uint8Array,
  shownAs: string,
  folder: string,
  defaults: RowDefaults,
): Promise<readonly BatchRow[]> {
  const [header, ...lines] = readLines(bytes, shownAs);
  const columns = readHeader(header, shownAs, defaults);
  const faults: string[] = [];
  const rows: LocatedRow[] = [];
  for (const { number, cells } of lines) {
    const place = `line ${number}`;
    if (cells.length !== columns.length) {
      faults.push(`${place} has ${cells.length} cells, the header ${columns.length}`);
      continue;
    }
    const values = Object.fromEntries(columns.map((column, index) => [column, cells[index]?.trim() ?? ""]));
    const { file: name = "", seller = "", protestDocs = "" } = values;
    const flag = protestDocs === "" ? defaults.protestDocs : BOOLEANS.get(protestDocs.toLowerCase());
    if (name === "") faults.push(`${place}, column file: it is empty`);
    if (seller === "" && !defaults.seller) faults.push(`${place}, column seller: it is empty`);
    if (flag === undefined) {
      faults.push(`${place}, column protest_docs: "${protestDocs}" is neither true nor false`);
    }
    if (name === "") continue;
    const file = resolve(folder, name);
    rows.push({
      location: place,
      name,
      logName: relative(folder, file),
      path: file,
      seller: seller || (defaults.seller ?? ""),
      protestDocs: flag ?? false,
    });
  }
  if (lines.length === 0) faults.push("it has no row below its header");
  return validateRows(shownAs, rows, faults);
}

function readLines(bytes: Uint8Array, shownAs: string): Line[] {
  const lines: Line[] = [];
  const reader = new CsvReader((record, number) => {
    const cells = record.cellTexts();
    if (cells.some((cell) => cell.trim() !== "")) lines.push({ number, cells });
  });
  try {
    reader.push(bytes);
    reader.end();
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    throw invalidManifestError(shownAs, error.message);
  }
  return lines;
}

function readHeader(
  header: Line | undefined,
  shownAs: string,
  { seller }: RowDefaults,
): ("file" | "seller" | "protestDocs")[] {
  const names = (header?.cells ?? []).map((cell) => cell.trim());
  const unknown = names.filter((name) => !Object.hasOwn(COLUMNS, name.toLowerCase()));
  const columns = names.flatMap((name) => COLUMNS[name.toLowerCase()] ?? []);
  const missing = [
    ...(columns.includes("file") ? [] : ["file"]),
    ...(columns.includes("seller") || seller ? [] : ["seller (or give --seller-name)"]),
  ];
  const faults = [
    ...unknown.map((name) => `the column "${name}" is unknown`),
    ...missing.map((name) => `the column ${name} is missing`),
    ...(new Set(columns).size < columns.length ? ["a column is there twice"] : []),
  ];
  if (faults.length > 0)
    throw invalidManifestError(shownAs, `line ${header?.number ?? 1}: ${faults.join("; ")}`);
  return columns;
}

const invalidManifestError = (shownAs: string, fault: string): ClaimsError =>
  new ClaimsError("usage", "manifest_faults", `${shownAs}: ${fault}`, {
    hint: "a manifest is CSV with the columns file, seller and, if need be, protest_docs; nothing was sent",
  });
