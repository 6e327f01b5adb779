import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { readInput } from "../../../files/input-file.ts";
import { listCsvFiles } from "../csv-files.ts";
import { type Manifest, type RowDefaults, readManifest } from "./manifest.ts";
import { type BatchSource, throwInvalidManifest, validateRows } from "./row.ts";

interface SourceOptions extends RowDefaults {
  /** Keeps rows with errors instead of throwing. */
  readonly skipInvalid: boolean;
  /** Of a manifest that comes through a pipe. */
  readonly fileName: string | undefined;
}

/**
 * Reads the rows of a manifest, or lists the CSV files of a folder by name.
 *
 * @throws ClaimsError of kind usage with all errors
 */
export async function readSource(
  context: Context,
  source: string,
  options: SourceOptions,
): Promise<BatchSource> {
  const { fileName } = options;
  const displayName = fileName ?? (source === "-" ? "stdin" : source);
  const named = fileName ?? (source === "-" ? null : source);
  const path = named === null ? null : resolve(context.cwd, named);
  const isFolder = path !== null && fileName === undefined && (await statSource(path, source)).isDirectory();
  const read = async () => {
    const bytes = await readInput(context, source);
    return readManifest(context, bytes, displayName, path === null ? context.cwd : dirname(path), options);
  };
  const { rows: located, extraColumns } = isFolder ? await listFolder(path, source, options) : await read();
  const rows = await validateRows(located);
  const errors = rows.flatMap((row) => row.errors);
  if (errors.length > 0 && !options.skipInvalid) {
    const correct = isFolder ? "correct or move the files" : "correct the lines";
    const hint = `nothing was sent; ${correct}, or submit the others with --skip-invalid`;
    throwInvalidManifest(displayName, errors, hint);
  }
  return { path, displayName, rows, extraColumns };
}

const statSource = (path: string, source: string) =>
  stat(path).catch((cause: unknown) => {
    throw usageError("cannot_read", `cannot read ${source}: ${describeFileError(cause)}`, {
      hint: "name a folder of CSV files, or a manifest",
      cause,
    });
  });

async function listFolder(
  folder: string,
  source: string,
  { seller, protestDocs }: RowDefaults,
): Promise<Manifest> {
  if (seller === undefined) {
    throw usageError("missing_option", "--seller-name <name> is missing", {
      hint: `give the seller of every file in ${source}, or name one for each file in a manifest`,
    });
  }
  const names = await listCsvFiles(folder);
  if (names.length === 0) {
    throw usageError("nothing_to_submit", `${source} has no .csv file`, {
      hint: "name a folder of entry files, or a manifest with the columns file and seller",
    });
  }
  const rows = names.map((name) => {
    const path = join(folder, name);
    return { row: { name, logName: name, path, seller, protestDocs, extra: {}, errors: [] }, line: null };
  });
  return { rows, extraColumns: [] };
}
