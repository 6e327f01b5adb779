import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { MAX_SELLER_NAME_LENGTH } from "../../../../domain/diligence/seller-matcher.ts";
import { normalizeHeader } from "../../../../domain/entries/columns.ts";
import { trimCell, unwrapTextForm } from "../../../../domain/entries/csv/cell-text.ts";
import { CsvReader } from "../../../../domain/entries/csv/csv-reader.ts";
import { FileCheck } from "../../../../domain/entries/csv/file-check.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { checkDelimiter } from "../../../../domain/entries/header.ts";
import { isNoName } from "../../../../domain/entries/rules/cell-advice.ts";
import { adviseHidden } from "../../../../domain/entries/rules/hidden-characters.ts";
import { readIndicator } from "../../../../domain/entries/rules/indicator.ts";
import { type ClaimsError, type InputError, usageError } from "../../../../domain/errors.ts";
import { quoteValue } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { findClosest, joinFirst } from "../../../../domain/text.ts";
import type { Context } from "../../../context.ts";
import { cannotRead } from "../../../files/file-errors.ts";
import { readInput } from "../../../files/input-file.ts";
import { CHECK_MODES, type CheckMode, normalizeSellerName } from "../options.ts";

/** What a batch adds to the columns of its manifest. */
export const RESULT_FIELDS: readonly string[] = [
  ...["state", "outcome", "jobId", "key"],
  ...["error", "error.code", "error.line", "error.message", "error.hint"],
];

export interface BatchRow {
  /** In the manifest; null in a folder. */
  readonly line: number | null;
  /** As the manifest or the folder names it. */
  readonly name: string;
  /** The normalized path from the manifest or the folder: the name in the batch log. */
  readonly logName: string;
  /** The absolute path of the file. */
  readonly path: string;
  readonly seller: string;
  readonly protestDocs: boolean;
  readonly check: CheckMode;
  /** The cells of the manifest's other columns. The output has them too. */
  readonly extra: Readonly<Record<string, string>>;
  readonly errors: readonly InputError[];
}

export interface BatchSource {
  /** Absolute; null for a manifest on stdin. */
  readonly path: string | null;
  readonly displayName: string;
  readonly rows: readonly BatchRow[];
  readonly extraColumns: readonly string[];
  /** The names in a folder that are not sent. */
  readonly passedOver: readonly string[];
}

/** A manifest, or the CSV files of a folder by name. @throws ClaimsError of kind usage with all errors */
export async function readSource(
  context: Context,
  source: string,
  defaults: RowDefaults,
): Promise<BatchSource> {
  const displayName = source === "-" ? "stdin" : source;
  const path = source === "-" ? null : resolve(context.cwd, source);
  const isFolder = path !== null && (await statSource(path, source)).isDirectory();
  const read = async () => {
    const bytes = await readInput(context, source);
    return readManifest(bytes, displayName, path === null ? context.cwd : dirname(path), defaults);
  };
  return { path, displayName, ...(isFolder ? await listFolder(path, source, defaults) : await read()) };
}

const statSource = (path: string, source: string) =>
  stat(path).catch(cannotRead(source, "name a folder of CSV files, or a manifest"));

async function listFolder(folder: string, source: string, { seller, ...defaults }: RowDefaults) {
  if (seller === undefined) {
    throw usageError("missing_option", "--seller-name <name> is missing", {
      hint: `give the seller of every file in ${source}, or name one for each file in a manifest`,
    });
  }
  const found = await readdir(folder, { withFileTypes: true });
  const all = found.map(({ name }) => name).sort();
  const names = all.filter(isEntryFile);
  const passedOver = all.filter((name) => !isEntryFile(name) && (!isHidden(name) || isCsv(name)));
  const others = passedOver.filter((name) => !found.some((each) => each.name === name && each.isDirectory()));
  // A night without files is an ordinary night. One with files of another kind has an export of another format.
  if (names.length === 0 && others.length > 0) {
    throw usageError(
      "invalid_input",
      `${source} has no .csv file, only ${joinFirst(passedOver, MAX_LISTED_NAMES)}`,
      {
        hint: "save a workbook as CSV UTF-8, and name a folder of entry files, or a manifest with the columns file and seller",
      },
    );
  }
  const rows = names.map((name) => {
    const path = join(folder, name);
    return { line: null, name, logName: name, path, seller, ...defaults, extra: {}, errors: [] };
  });
  return { rows, extraColumns: [], passedOver };
}

const isCsv = (name: string): boolean => /\.csv$/i.test(name);

const isHidden = (name: string): boolean => name.startsWith(".");

/** Office programs put a file `~$…` next to a workbook while it is open. */
const isEntryFile = (name: string): boolean => isCsv(name) && !isHidden(name) && !name.startsWith("~$");

const MAX_LISTED_NAMES = 8;

/** What a batch of a folder does not send; null if it sends everything. */
export const describePassedOver = ({ displayName, passedOver }: BatchSource): string | null =>
  passedOver.length === 0
    ? null
    : `passed over in ${displayName}, because only visible .csv files are sent: ${joinFirst(passedOver, MAX_LISTED_NAMES)}`;

/** For rows that do not say it themselves. */
export interface RowDefaults {
  readonly seller: string | undefined;
  readonly protestDocs: boolean;
  readonly check: CheckMode;
}

interface ManifestLine {
  readonly number: number;
  /** The line on which it ends. */
  readonly lastNumber: number;
  readonly cells: readonly string[];
}

/** The columns of a manifest that the batch reads. */
const FIELD_BY_HEADING: ReadonlyMap<string, string> = new Map([
  ["file", "file"],
  ["seller", "seller"],
  ["seller_name", "seller"],
  ["protest_docs", "protestDocs"],
  ["protestdocs", "protestDocs"],
  ["requires_protest_documentation", "protestDocs"],
  ["check", "check"],
]);

interface ManifestHeader {
  readonly width: number;
  /** By field, or by the name of a column that is only carried through. No such name is that of a field. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly extraColumns: readonly string[];
  /** The columns without a heading. */
  readonly blankIndexes: readonly number[];
}

/** For errors outside of its rows. */
function invalidManifestError(displayName: string, errors: readonly InputError[]): ClaimsError {
  const message = `${displayName} has ${formatCount(errors.length, "error")}`;
  return usageError("invalid_input", message, { hint: "nothing was sent; correct the manifest", errors });
}

/**
 * @param folder what its paths are relative to
 * @throws ClaimsError `invalid_input`
 */
function readManifest(bytes: Uint8Array, displayName: string, folder: string, defaults: RowDefaults) {
  const [first, ...lines] = readLines(bytes, displayName);
  const header = readHeader(first, lines, displayName, defaults);
  if (lines.length === 0) {
    const message = "there is no row below the header";
    throw invalidManifestError(displayName, [{ line: null, column: null, code: "no_rows", message }]);
  }
  const rows = lines.map((line) => readRow(line, header, folder, defaults));
  return { rows, extraColumns: header.extraColumns, passedOver: [] };
}

function readRow(
  line: ManifestLine,
  header: ManifestHeader,
  folder: string,
  defaults: RowDefaults,
): BatchRow {
  const readCell = (column: string) =>
    unwrapTextForm(trimCell(line.cells[header.indexes.get(column) ?? -1] ?? ""));
  const file = readCell("file");
  const path = resolve(folder, file);
  const row = {
    file,
    seller: normalizeSellerName(readCell("seller")) || (defaults.seller ?? ""),
    protestText: readCell("protestDocs"),
    checkText: readCell("check"),
  };
  return {
    line: line.number,
    name: file || `line ${line.number}`,
    logName: relative(folder, path),
    path,
    seller: row.seller,
    protestDocs: readProtestDocs(row.protestText) ?? defaults.protestDocs,
    check: readCheckMode(row.checkText) ?? defaults.check,
    extra: Object.fromEntries(header.extraColumns.map((column) => [column, readCell(column)])),
    errors: findRowErrors(line, header, row),
  };
}

const readProtestDocs = (text: string): boolean | null => (text === "" ? null : readIndicator(text));

const readCheckMode = (text: string): CheckMode | undefined =>
  CHECK_MODES.find((each) => each === text.toLowerCase());

/** In a line with too few or too many cells, or with a quote that is missing, nothing stands where it seems to. */
function findRowErrors(
  { number, lastNumber, cells }: ManifestLine,
  { width, blankIndexes }: ManifestHeader,
  row: Readonly<Record<"file" | "seller" | "protestText" | "checkText", string>>,
): readonly InputError[] {
  const { file, seller, protestText, checkText } = row;
  const error = (column: string | null, code: string, message: string): InputError => ({
    line: number,
    column,
    code,
    message,
  });
  if (cells.length !== width)
    return [error(null, "cell_count", `${formatCount(cells.length, "cell")}, the header has ${width}`)];
  const lines = `lines ${number} to ${lastNumber}`;
  if (lastNumber > number)
    return [
      error(null, "cell_lines", `one row on ${lines}: look there for a quote that is missing or too many`),
    ];
  const unnamed = blankIndexes.map((index) => cells[index]?.trim() ?? "").find((cell) => cell !== "");
  return [
    unnamed !== undefined &&
      error(null, "cell_unnamed", `${quoteValue(unnamed)} stands under a blank heading`),
    file === "" && error("file", "cell_empty", "empty"),
    ...findSellerFaults(seller).map(([code, message]) => error("seller", code, message)),
    protestText !== "" &&
      readProtestDocs(protestText) === null &&
      error(
        "protest_docs",
        "invalid_boolean",
        `"${protestText}" is neither yes nor no (Y, YES, TRUE, 1; N, NO, FALSE, 0)`,
      ),
    checkText !== "" &&
      readCheckMode(checkText) === undefined &&
      error("check", "invalid_check", `"${checkText}" is none of ${CHECK_MODES.join(", ")}`),
  ].filter((each) => each !== false);
}

function findSellerFaults(seller: string): (readonly [code: string, message: string])[] {
  const faults: (readonly [code: string, message: string])[] = [];
  const quoted = quoteValue(seller);
  if (seller === "") faults.push(["cell_empty", "empty, and there is no --seller-name"]);
  if (seller.startsWith("=")) faults.push(["cell_formula", `${quoted} is a formula: write the name`]);
  else if (isNoName(seller))
    faults.push(["cell_no_value", `${quoted} is what a program writes for a missing value`]);
  const [hidden = ""] = WITHOUT_WIDTH.exec(seller) ?? [];
  if (hidden !== "") faults.push(["cell_hidden", adviseHidden(hidden, false)]);
  if ([...seller].length > MAX_SELLER_NAME_LENGTH)
    faults.push(["cell_too_long", `longer than ${MAX_SELLER_NAME_LENGTH} characters`]);
  return faults;
}

/** Joiners are part of words in some scripts. */
const WITHOUT_WIDTH = /(?![\u200c\u200d])\p{Cf}/u;

function readLines(bytes: Uint8Array, displayName: string): ManifestLine[] {
  const lines: ManifestLine[] = [];
  const reader = new CsvReader((record, number) => {
    const cells = record.cellTexts();
    if (lines.length === 0) checkDelimiter(cells);
    if (cells.some((cell) => cell.trim() !== ""))
      lines.push({ number, lastNumber: number + record.lineCount - 1, cells });
  });
  const check = new FileCheck();
  try {
    check.push(bytes);
    check.end();
    reader.push(bytes);
    reader.end();
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    const { code, line, message } = error;
    const errors = [{ line, column: null, code: code.toLowerCase(), message }];
    throw invalidManifestError(displayName, errors);
  }
  return lines;
}

function readHeader(
  line: ManifestLine | undefined,
  below: readonly ManifestLine[],
  displayName: string,
  { seller: defaultSeller }: RowDefaults,
): ManifestHeader {
  const errors: InputError[] = [];
  const report = (column: string, code: string, message: string) =>
    errors.push({ line: line?.number ?? 1, column, code, message });
  const cells = line?.cells ?? [];
  const indexes = new Map<string, number>();
  const extraColumns: string[] = [];
  const blankIndexes: number[] = [];
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim();
    const field = FIELD_BY_HEADING.get(normalizeHeader(name));
    if (name === "") blankIndexes.push(index);
    // The results of an earlier batch make room for those of this one.
    if (field === undefined && (name === "" || RESULT_FIELDS.includes(name))) continue;
    if (indexes.has(field ?? name)) {
      report(name, "column_repeated", "given more than once");
      continue;
    }
    indexes.set(field ?? name, index);
    if (field === undefined) extraColumns.push(name);
  }
  const other = indexes.has("file") ? undefined : below.find(isHeader);
  const hint = other ? `; line ${other.number} looks like the header: remove the lines above it` : "";
  if (!indexes.has("file")) report("file", "column_missing", `missing${hint}`);
  if (!indexes.has("seller") && !defaultSeller)
    report("seller", "column_missing", "missing, and there is no --seller-name");
  // An unknown column is only carried through: a typo in protest_docs would go unnoticed.
  const absent = [...FIELD_BY_HEADING].flatMap(([heading, field]) =>
    (field === "seller" || field === "protestDocs") && !indexes.has(field) ? heading : [],
  );
  for (const name of extraColumns) {
    const closest = findClosest(normalizeHeader(name), absent);
    const meant = closest ?? (/protest/i.test(name) && !indexes.has("protestDocs") ? "protest_docs" : null);
    if (meant !== null) report(name, "column_unknown", `unknown; did you mean "${meant}"?`);
  }
  if (errors.length > 0) throw invalidManifestError(displayName, errors);
  return { width: cells.length, indexes, extraColumns, blankIndexes };
}

const isHeader = ({ cells }: ManifestLine): boolean => {
  const fields = cells.map((cell) => FIELD_BY_HEADING.get(normalizeHeader(cell)));
  return fields.includes("file") && fields.includes("seller");
};
