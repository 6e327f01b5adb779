import { relative, resolve } from "node:path";
import { CsvReader } from "../../../../domain/entries/csv/csv-reader.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { type BatchRow, type LocatedRow, validateRows } from "./row.ts";

/** For rows that do not say it themselves. */
export interface RowDefaults {
  readonly seller: string | undefined;
  readonly protestDocs: boolean;
}

interface ManifestLine {
  readonly number: number;
  readonly cells: readonly string[];
}

type Column = "file" | "seller" | "protestDocs";

const COLUMNS: ReadonlyMap<string, Column> = new Map([
  ["file", "file"],
  ["seller", "seller"],
  ["seller_name", "seller"],
  ["protest_docs", "protestDocs"],
]);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * Reads the rows of a manifest: CSV (RFC 4180) with a header.
 *
 * @param folder what its paths are relative to
 */
export async function readManifest(
  bytes: Uint8Array,
  displayName: string,
  folder: string,
  defaults: RowDefaults,
): Promise<readonly BatchRow[]> {
  const [header, ...lines] = readLines(bytes, displayName);
  const columns = readHeader(header, displayName, defaults);
  const errors: string[] = [];
  const rows: LocatedRow[] = [];
  for (const { number, cells } of lines) {
    const location = `line ${number}`;
    if (cells.length !== columns.length) {
      errors.push(`${location} has ${cells.length} cells, the header ${columns.length}`);
      continue;
    }
    const values = Object.fromEntries(columns.map((column, index) => [column, cells[index]?.trim() ?? ""]));
    const { file: name = "", seller = "", protestDocs: text = "" } = values;
    const protestDocs = text === "" ? defaults.protestDocs : BOOLEANS.get(text.toLowerCase());
    if (name === "") errors.push(`${location}, column file: empty`);
    if (seller === "" && !defaults.seller) errors.push(`${location}, column seller: empty`);
    if (protestDocs === undefined)
      errors.push(`${location}, column protest_docs: "${text}" is neither true nor false`);
    if (name === "") continue;
    const path = resolve(folder, name);
    rows.push({
      location,
      name,
      logName: relative(folder, path),
      path,
      seller: seller || (defaults.seller ?? ""),
      protestDocs: protestDocs ?? false,
    });
  }
  if (lines.length === 0) errors.push("it has no row below its header");
  return validateRows(displayName, rows, errors);
}

function readLines(bytes: Uint8Array, displayName: string): ManifestLine[] {
  const lines: ManifestLine[] = [];
  const reader = new CsvReader((record, number) => {
    const cells = record.cellTexts();
    if (cells.some((cell) => cell.trim() !== "")) lines.push({ number, cells });
  });
  try {
    reader.push(bytes);
    reader.end();
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    throw invalidManifestError(displayName, error.message);
  }
  return lines;
}

function readHeader(
  header: ManifestLine | undefined,
  displayName: string,
  { seller }: RowDefaults,
): readonly Column[] {
  const names = (header?.cells ?? []).map((cell) => cell.trim());
  const columns = names.flatMap((name) => COLUMNS.get(name.toLowerCase()) ?? []);
  const unknown = names.filter((name) => !COLUMNS.has(name.toLowerCase()));
  const errors = unknown.map((name) => `unknown column "${name}"`);
  if (!columns.includes("file")) errors.push("missing column file");
  if (!columns.includes("seller") && !seller) errors.push("missing column seller (or give --seller-name)");
  if (new Set(columns).size < columns.length) errors.push("a column is given more than once");
  if (errors.length > 0)
    throw invalidManifestError(displayName, `line ${header?.number ?? 1}: ${errors.join("; ")}`);
  return columns;
}

const invalidManifestError = (displayName: string, message: string): ClaimsError =>
  usageError("invalid_manifest", `${displayName}: ${message}`, {
    hint: "a manifest is CSV with the columns file, seller and optionally protest_docs; nothing was sent",
  });
