import { stat } from "node:fs/promises";
import { type ClaimsError, unreachableError } from "../../../../domain/errors.ts";
import type { BatchRow } from "./manifest.ts";

/**
 * Takes size and time of the files when the batch begins. A program that copies a file into the folder changes them until it has
 * ended, and what it has written so far would be a submission.
 *
 * @returns throws for a file that has changed since: ClaimsError `file_being_written`
 */
export async function watchFiles(rows: readonly BatchRow[]): Promise<(row: BatchRow) => Promise<void>> {
  const entries = rows.map(async ({ path }) => [path, await readState(path)] as const);
  const byPath = new Map(await Promise.all(entries));
  return async ({ name, path }) => {
    const before = byPath.get(path);
    const now = await readState(path);
    // Another file that took the name by a rename is whole.
    if (!before || !now || before.ino !== now.ino) return;
    if (before.size === now.size && before.mtimeMs === now.mtimeMs) return;
    throw fileBeingWrittenError(name);
  };
}

/** The error of a file that the next run may find whole, also where reading it showed the change. */
export const fileBeingWrittenError = (name: string, cause?: ClaimsError): ClaimsError =>
  unreachableError("file_being_written", `${name} is still being written; it was not sent`, {
    hint: "the next run takes it; a program that copies to another name and renames the file at the end is safe",
    retryable: true,
    cause,
  });

type FileState = Record<"ino" | "size" | "mtimeMs", number>;

/** Null for a file that cannot be read, which is reported when it is opened. */
const readState = (path: string): Promise<FileState | null> => stat(path).catch(() => null);
