import { randomUUID } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Processes } from "../../src/process/identity.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../src/process/temporary-folder.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";

const FOLDER_PREFIX = "claims-sandbox-";

interface UploadsOptions {
  /** The temporary folder. */
  readonly parent: string;
  readonly processes: Processes;
}

/** The folder of the uploaded files that no job has read yet. Nothing else goes to disk. */
export class Uploads {
  readonly #parent: string;
  readonly #processes: Processes;
  #folder: Promise<string> | undefined;
  #isClosed = false;

  constructor({ parent, processes }: UploadsOptions) {
    this.#parent = parent;
    this.#processes = processes;
  }

  /** Removes the folders of sandboxes that were killed. */
  removeAbandoned(): Promise<void> {
    return removeLeftovers(this.#parent, FOLDER_PREFIX, this.#processes);
  }

  /** @throws ProblemError `insufficient_storage` */
  async create(): Promise<Upload> {
    const folder = await this.#ensureFolder().catch((error) => {
      throw insufficientStorage(this.#parent, error);
    });
    return new Upload(folder);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  /** Creates the folder, readable only by its owner, again if a cleaner of temporary files has removed it. */
  async #ensureFolder(): Promise<string> {
    const known = this.#folder;
    if (known && ((await exists(known)) || this.#isClosed)) return known;
    const newer = this.#folder === known ? undefined : this.#folder;
    this.#folder = newer ?? makeTemporaryFolder(this.#parent, FOLDER_PREFIX, this.#processes);
    return this.#folder;
  }
}

const exists = (folder: Promise<string>): Promise<boolean> =>
  folder.then(access).then(
    () => true,
    () => false,
  );

/** One uploaded file. The caller of `take` removes it; otherwise `discard` does. */
export class Upload {
  readonly #folder: string;
  readonly #path: string;
  readonly #stream: WriteStream;
  #isTaken = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, randomUUID());
    this.#stream = createWriteStream(this.#path, { flags: "wx", mode: 0o600 });
    // write() reports the error, but the stream may emit it before or after.
    this.#stream.on("error", () => undefined);
  }

  /** @throws ProblemError `insufficient_storage`, or the error of `chunks` */
  async write(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    try {
      await pipeline(chunks, this.#stream);
    } catch (error) {
      throw isFileSystemError(error) ? insufficientStorage(this.#folder, error) : error;
    }
  }

  take(): string {
    this.#isTaken = true;
    return this.#path;
  }

  async discard(): Promise<void> {
    if (this.#isTaken) return;
    const stream = this.#stream.destroy();
    // The stream would create the file after its removal.
    if (!stream.closed) await new Promise<void>((resolve) => stream.once("close", () => resolve()));
    await rm(this.#path, { force: true });
  }
}

const isFileSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof (error as NodeJS.ErrnoException | null)?.syscall === "string";

function insufficientStorage(folder: string, { code }: NodeJS.ErrnoException): ProblemError {
  const reason =
    code === "ENOSPC" || code === "EDQUOT" ? `no room is left in ${folder}` : `it cannot write to ${folder}`;
  return problemError(
    "insufficient_storage",
    `The sandbox cannot store the upload: ${reason} (${code}). Set TMPDIR to a folder that it can write to ` +
      "(for startSandbox: the option tempDir), and start it again.",
  );
}
