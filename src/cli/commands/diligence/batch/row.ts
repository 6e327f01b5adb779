import { stat } from "node:fs/promises";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { describeFileError } from "../../../files/file-errors.ts";

/** One submission of a batch. */
export interface BatchRow {
  /** As the manifest or the folder names it. */
  readonly name: string;
  /** The normalized path from the manifest or the folder: the name in the batch log. */
  readonly logName: string;
  /** Absolute. */
  readonly path: string;
  readonly seller: string;
  readonly protestDocs: boolean;
}

/** A row and its location in the source, such as `line 3`. */
export interface LocatedRow extends BatchRow {
  readonly location: string;
}

export interface BatchSource {
  /** Absolute; null for a manifest on stdin. */
  readonly path: string | null;
  readonly displayName: string;
  readonly rows: readonly BatchRow[];
}

/**
 * Checks that every row can be submitted.
 *
 * @param errors errors that are already known
 * @throws ClaimsError `invalid_manifest` with all errors
 */
export async function validateRows(
  displayName: string,
  rows: readonly LocatedRow[],
  errors: readonly string[],
): Promise<readonly BatchRow[]> {
  const all = [...errors, ...findDuplicates(rows), ...(await Promise.all(rows.map(checkFile))).flat()];
  if (all.length === 0) return rows.map(({ location: _, ...row }) => row);
  throw usageError(
    "invalid_manifest",
    `${displayName} has ${formatCount(all.length, "error")}: ${all.join("; ")}`,
    {
      hint: "fix all of them and run the command again; nothing was sent",
    },
  );
}

function findDuplicates(rows: readonly LocatedRow[]): string[] {
  const first = new Map<string, LocatedRow>();
  return rows.flatMap((row) => {
    const key = JSON.stringify([row.path, row.seller, row.protestDocs]);
    const known = first.get(key);
    if (known === undefined) first.set(key, row);
    return known ? [`${row.location}: the same submission as ${known.location}`] : [];
  });
}

async function checkFile({ location, path, name }: LocatedRow): Promise<string[]> {
  const where = location === name ? name : `${location}, column file: ${name}`;
  try {
    const found = await stat(path);
    if (!found.isFile()) return [`${where} is not a file`];
    return found.size === 0 ? [`${where} is empty`] : [];
  } catch (error) {
    return [`cannot read ${where}: ${describeFileError(error)}`];
  }
}
