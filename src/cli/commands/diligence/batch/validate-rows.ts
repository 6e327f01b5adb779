import { stat } from "node:fs/promises";
import { ClaimsError } from "../../../../domain/errors.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import type { BatchRow } from "./row.ts";

/** A row and where it stands, as in `line 3`. */
export interface LocatedRow extends BatchRow {
  readonly location: string;
}

/**
 * The rows, if every one can be submitted.
 *
 * @param faults what is known to be wrong already
 * @throws ClaimsError `manifest_faults` with all that is wrong
 */
export async function validateRows(
  shownAs: string,
  rows: readonly LocatedRow[],
  faults: readonly string[],
): Promise<readonly BatchRow[]> {
  const all = [...faults, ...findDuplicates(rows), ...(await Promise.all(rows.map(checkFile))).flat()];
  if (all.length === 0) return rows.map(({ location: _, ...row }) => row);
  const count = all.length === 1 ? "a fault" : `${all.length} faults`;
  throw new ClaimsError("usage", "manifest_faults", `${shownAs} has ${count}: ${all.join("; ")}`, {
    hint: "mend all of them and run the command again; nothing was sent",
  });
}

function findDuplicates(rows: readonly LocatedRow[]): string[] {
  const first = new Map<string, LocatedRow>();
  return rows.flatMap((row) => {
    const what = JSON.stringify([row.path, row.seller, row.protestDocs]);
    const known = first.get(what);
    if (known === undefined) first.set(what, row);
    return known ? [`${row.location}: the same submission as ${known.location}`] : [];
  });
}

async function checkFile({ location: place, path, name }: LocatedRow): Promise<string[]> {
  const where = place === name ? name : `${place}, column file: ${name}`;
  try {
    const found = await stat(path);
    if (!found.isFile()) return [`${where} is no file`];
    return found.size === 0 ? [`${where} is empty`] : [];
  } catch (error) {
    return [`${where} cannot be read: ${describeFileError(error)}`];
  }
}

export const cannotReadError = (shownAs: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "cannot_read", `cannot read ${shownAs}: ${describeFileError(cause)}`, {
    hint: "name a folder of CSV files, or a manifest",
    cause,
  });
