import { stat } from "node:fs/promises";
import { unreachableError } from "../../../../domain/errors.ts";
import type { BatchRow } from "./manifest.ts";

/**
 * Size and time of the files when the batch began. A program that copies a file into the folder changes them until it has
 * ended, and what it has written so far would be a submission.
 */
export class FilesAtStart {
  readonly #byPath: ReadonlyMap<string, FileState | null>;

  private constructor(byPath: ReadonlyMap<string, FileState | null>) {
    this.#byPath = byPath;
  }

  static async read(rows: readonly BatchRow[]): Promise<FilesAtStart> {
    const entries = rows.map(async ({ path }) => [path, await readState(path)] as const);
    return new FilesAtStart(new Map(await Promise.all(entries)));
  }

  /** Another file that took the name by a rename is whole. @throws ClaimsError `file_being_written` */
  async requireUnchanged({ name, path }: BatchRow): Promise<void> {
    const before = this.#byPath.get(path);
    const now = await readState(path);
    if (!before || !now || before.ino !== now.ino) return;
    if (before.size === now.size && before.mtimeMs === now.mtimeMs) return;
    throw unreachableError("file_being_written", `${name} is still being written; it was not sent`, {
      hint: "the next run takes it; a program that copies to another name and renames the file at the end is safe",
      retryable: true,
    });
  }
}

type FileState = Record<"ino" | "size" | "mtimeMs", number>;

/** Null for a file that cannot be read, which is reported when it is opened. */
const readState = (path: string): Promise<FileState | null> => stat(path).catch(() => null);
