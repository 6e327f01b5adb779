import { stat } from "node:fs/promises";
import type { InputError } from "../../../../domain/errors.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import type { CheckMode } from "../options.ts";

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

/** Adds the errors that reading the row did not show: a file that cannot be submitted, a row that repeats another one. */
export async function validateRows(rows: readonly BatchRow[]): Promise<readonly BatchRow[]> {
  const lines = new Map<string, number | null>();
  const validate = async (row: BatchRow): Promise<BatchRow> => {
    // In a row with a cell too many or too few, any cell may be the file.
    if (row.errors.some(({ column }) => column === null || column === "file")) return row;
    const { line } = row;
    const content = JSON.stringify([row.path, row.seller, row.protestDocs]);
    const first = lines.get(content);
    if (first === undefined) lines.set(content, line);
    const message = `the same submission as line ${first}`;
    const repeated = first === undefined ? [] : [{ line, column: null, code: "row_repeated", message }];
    return { ...row, errors: [...(await checkFile(row)), ...row.errors, ...repeated] };
  };
  return Promise.all(rows.map(validate));
}

async function checkFile({ path, name, line }: BatchRow): Promise<readonly InputError[]> {
  const column = line === null ? null : "file";
  const toError = (code: string, message: string) => [{ line, column, code, message }];
  try {
    const found = await stat(path);
    if (!found.isFile()) return toError("not_a_file", `${name} is not a file`);
    return found.size === 0 ? toError("file_empty", `${name} is empty`) : [];
  } catch (error) {
    return toError("cannot_read", `cannot read ${name}: ${describeFileError(error)}`);
  }
}
