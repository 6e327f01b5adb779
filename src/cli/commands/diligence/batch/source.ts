import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { type RowDefaults, readManifest } from "./manifest.ts";
import type { BatchSource } from "./row.ts";
import { cannotReadError, validateRows } from "./validate-rows.ts";

/**
 * What is to be submitted: the rows of a manifest, or every CSV of a folder in the order of their names.
 *
 * @throws ClaimsError of kind usage that tells all faults at once
 */
export async function readSource(
  context: Context,
  shownAs: string,
  defaults: RowDefaults,
): Promise<BatchSource> {
  const rowsIn = async (name: string, folder: string) =>
    readManifest(await readInput(context, shownAs), name, folder, defaults);
  if (shownAs === "-") return { path: null, shownAs: "stdin", rows: await rowsIn("stdin", context.cwd) };
  const path = resolve(context.cwd, shownAs);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    (cause: unknown) => {
      throw cannotReadError(shownAs, cause);
    },
  );
  if (!isFolder) return { path, shownAs, rows: await rowsIn(shownAs, dirname(path)) };
  const { seller, protestDocs } = defaults;
  if (seller === undefined) {
    throw new ClaimsError("usage", "missing_option", "--seller-name <name> is missing", {
      hint: `it gives the seller of every file in ${shownAs}; a manifest can name one a row`,
    });
  }
  const names = (await readdir(path)).filter((name) => /\.csv$/i.test(name) && !name.startsWith(".")).sort();
  if (names.length === 0) {
    throw new ClaimsError("usage", "nothing_to_submit", `${shownAs} has no .csv file`, {
      hint: "name a folder of entry files, or a manifest with the columns file and seller",
    });
  }
  const rows = names.map((name) => ({
    name,
    logName: name,
    path: join(path, name),
    seller,
    protestDocs,
    location: name,
  }));
  return { path, shownAs, rows: await validateRows(shownAs, rows, []) };
}
