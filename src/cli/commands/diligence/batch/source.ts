import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { readInput } from "../../../files/input-file.ts";
import { listCsvFiles } from "../csv-files.ts";
import { type RowDefaults, readManifest } from "./manifest.ts";
import { type BatchSource, validateRows } from "./row.ts";

/**
 * Reads the rows of a manifest, or lists the CSV files of a folder by name.
 *
 * @throws ClaimsError of kind usage with all errors
 */
export async function readSource(
  context: Context,
  source: string,
  defaults: RowDefaults,
): Promise<BatchSource> {
  const readRows = async (displayName: string, folder: string) =>
    readManifest(await readInput(context, source), displayName, folder, defaults);
  if (source === "-") return { path: null, displayName: "stdin", rows: await readRows("stdin", context.cwd) };
  const path = resolve(context.cwd, source);
  const found = await stat(path).catch((cause: unknown) => {
    throw usageError("cannot_read", `cannot read ${source}: ${describeFileError(cause)}`, {
      hint: "name a folder of CSV files, or a manifest",
      cause,
    });
  });
  const rows = found.isDirectory()
    ? await listFolder(path, source, defaults)
    : await readRows(source, dirname(path));
  return { path, displayName: source, rows };
}

async function listFolder(folder: string, source: string, { seller, protestDocs }: RowDefaults) {
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
    return { name, logName: name, path, seller, protestDocs, location: name };
  });
  return validateRows(source, rows, []);
}
