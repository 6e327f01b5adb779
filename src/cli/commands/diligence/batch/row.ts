import { stat } from "node:fs/promises";
import { type InputError, usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import type { CheckMode } from "../options.ts";

export interface BatchRow {
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

/** A row and its line in the manifest; null in a folder. */
export interface LocatedRow {
  readonly row: BatchRow;
  readonly line: number | null;
}

/** Adds the errors that reading the row did not show: a file that cannot be submitted, a row that repeats another one. */
export async function validateRows(located: readonly LocatedRow[]): Promise<readonly BatchRow[]> {
  const repeated = findRepeated(located);
  return Promise.all(
    located.map(async ({ row, line }) => {
      const addLine = (error: RowError) =>
        line === null ? { ...error, line, column: null } : { ...error, line };
      const fileErrors = namesFile(row) ? await checkFile(row) : [];
      const errors = [...fileErrors.map(addLine), ...row.errors, ...(repeated.get(row) ?? []).map(addLine)];
      return { ...row, errors };
    }),
  );
}

/** @throws ClaimsError `invalid_input` with all errors in the order of the lines */
export function throwInvalidManifest(
  displayName: string,
  errors: readonly InputError[],
  hint: string,
): never {
  const sorted = [...errors].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  const message = `${displayName} has ${formatCount(sorted.length, "error", "errors")}`;
  throw usageError("invalid_input", message, { hint, errors: sorted });
}

type RowError = Omit<InputError, "line">;

/** In a row with a cell too many or too few, any cell may be the file. */
const namesFile = ({ errors }: BatchRow): boolean =>
  !errors.some(({ column }) => column === null || column === "file");

function findRepeated(located: readonly LocatedRow[]): ReadonlyMap<BatchRow, readonly RowError[]> {
  const first = new Map<string, LocatedRow>();
  const repeated = new Map<BatchRow, readonly RowError[]>();
  for (const each of located) {
    const { row } = each;
    if (!namesFile(row)) continue;
    const key = JSON.stringify([row.path, row.seller, row.protestDocs]);
    const known = first.get(key);
    if (known === undefined) first.set(key, each);
    else {
      const message = `the same submission as line ${known.line}`;
      repeated.set(row, [{ column: null, code: "row_repeated", message }]);
    }
  }
  return repeated;
}

async function checkFile({ path, name }: BatchRow): Promise<readonly RowError[]> {
  const toError = (code: string, message: string) => [{ column: "file", code, message }];
  try {
    const found = await stat(path);
    if (!found.isFile()) return toError("not_a_file", `${name} is not a file`);
    return found.size === 0 ? toError("file_empty", `${name} is empty`) : [];
  } catch (error) {
    return toError("cannot_read", `cannot read ${name}: ${describeFileError(error)}`);
  }
}
