import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { readInput } from "../../../files/input-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import { listCsvFiles } from "../csv-files.ts";
import { type RowDefaults, readManifest } from "./manifest.ts";
import { type LocatedRow, validateRows } from "./row.ts";

interface SourceOptions extends RowDefaults {
  /** Leaves out files that were written later than so many milliseconds ago. */
  readonly minAge: number | undefined;
  /** Of a manifest that comes through a pipe. */
  readonly fileName: string | undefined;
}

/** A manifest, or the CSV files of a folder by name. @throws ClaimsError of kind usage with all errors */
export async function readSource(context: Context, source: string, options: SourceOptions) {
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
  const old = await leaveYoungFiles(context, located, options.minAge);
  return { path, displayName, rows: await validateRows(old), extraColumns };
}

/** A young file may not be complete. A time in the future says nothing, so it counts as young. */
async function leaveYoungFiles(context: Context, located: readonly LocatedRow[], minAge: number | undefined) {
  if (minAge === undefined) return located;
  const now = context.now();
  const isOld = async ({ row }: LocatedRow) => {
    const found = await stat(row.path).catch(() => null);
    return found === null || now - found.mtimeMs >= minAge;
  };
  const checks = await Promise.all(located.map(isOld));
  const old = located.filter((_, index) => checks[index]);
  const count = formatCount(located.length - old.length, "file");
  if (old.length < located.length)
    printMessage(context, `left ${count} younger than ${minAge / 1000} s for the next run`);
  return old;
}

const statSource = (path: string, source: string) =>
  stat(path).catch((cause: unknown) => {
    throw usageError("cannot_read", `cannot read ${source}: ${describeFileError(cause)}`, {
      hint: "name a folder of CSV files, or a manifest",
      cause,
    });
  });

async function listFolder(folder: string, source: string, { seller, protestDocs }: RowDefaults) {
  if (seller === undefined) {
    throw usageError("missing_option", "--seller-name <name> is missing", {
      hint: `give the seller of every file in ${source}, or name one for each file in a manifest`,
    });
  }
  const names = await listCsvFiles(folder);
  if (names.length === 0) {
    throw usageError("no_files", `${source} has no .csv file`, {
      hint: "name a folder of entry files, or a manifest with the columns file and seller",
    });
  }
  const rows = names.map((name) => {
    const path = join(folder, name);
    return { row: { name, logName: name, path, seller, protestDocs, extra: {}, errors: [] }, line: null };
  });
  return { rows, extraColumns: [] };
}
