import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Processes } from "../../src/process/identity.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../src/process/temporary-folder.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";

const FOLDER_PREFIX = "claims-sandbox-";

export type Uploads = ReturnType<typeof createUploads>;

/** The folder of the uploads that no job has read yet. Nothing else goes to disk. @param parent the temporary folder */
export function createUploads(parent: string, processes: Processes) {
  let folder: Promise<string> | undefined;
  let isClosed = false;

  /** Creates the folder, readable only by its owner, again if a cleaner of temporary files has removed it. */
  const ensureFolder = async (): Promise<string> => {
    const known = folder;
    if (known && ((await exists(known)) || isClosed)) return known;
    const newer = folder === known ? undefined : folder;
    folder = newer ?? makeTemporaryFolder(parent, FOLDER_PREFIX, processes);
    return folder;
  };

  return {
    removeAbandoned: (): Promise<void> => removeLeftovers(parent, FOLDER_PREFIX, processes),

    /** @throws ProblemError `insufficient_storage` */
    async create(): Promise<Upload> {
      const existing = await ensureFolder().catch((error) => {
        throw insufficientStorage(parent, error);
      });
      return createUpload(existing);
    },

    async close(): Promise<void> {
      isClosed = true;
      const created = await folder?.catch(() => undefined);
      if (created !== undefined) await rm(created, { recursive: true, force: true });
    },
  };
}

const exists = (folder: Promise<string>): Promise<boolean> =>
  folder.then(access).then(
    () => true,
    () => false,
  );

export type Upload = ReturnType<typeof createUpload>;

/** One uploaded file. The caller of `take` removes it; otherwise `discard` does. */
export function createUpload(folder: string) {
  const path = join(folder, randomUUID());
  const stream = createWriteStream(path, { flags: "wx", mode: 0o600 });
  let isTaken = false;
  // write() reports the error, but the stream may emit it before or after.
  stream.on("error", () => undefined);

  return {
    /** @throws ProblemError `insufficient_storage`, or the error of `chunks` */
    async write(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
      try {
        await pipeline(chunks, stream);
      } catch (error) {
        throw isFileSystemError(error) ? insufficientStorage(folder, error) : error;
      }
    },

    take(): string {
      isTaken = true;
      return path;
    },

    async discard(): Promise<void> {
      if (isTaken) return;
      stream.destroy();
      // The stream would create the file after its removal.
      if (!stream.closed) await new Promise<void>((resolve) => stream.once("close", () => resolve()));
      await rm(path, { force: true });
    },
  };
}

const isFileSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof (error as NodeJS.ErrnoException | null)?.syscall === "string";

function insufficientStorage(folder: string, { code }: NodeJS.ErrnoException): ProblemError {
  if (code === "EMFILE" || code === "ENFILE")
    return problemError("overloaded", "Too many files are open to store the upload. Repeat it later.", {
      headers: { "Retry-After": "1" },
    });
  const reason =
    code === "ENOSPC" || code === "EDQUOT" ? `no room is left in ${folder}` : `it cannot write to ${folder}`;
  return problemError(
    "insufficient_storage",
    `The sandbox cannot store the upload: ${reason} (${code}). Set TMPDIR to a folder that it can write to ` +
      "(for startSandbox: the option tempDir), and start it again.",
  );
}
