import type { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, type FileHandle, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ByteCollector } from "../../src/domain/byte-collector.ts";
import type { Processes } from "../../src/process/identity.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../src/process/temporary-folder.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";

const FOLDER_PREFIX = "claims-sandbox-";

/** A larger file goes to disk: writing and reading a temporary file takes as long as a small job. */
const MAX_FILE_BYTES_IN_MEMORY = 1 << 20;

/** Of all unread files; what comes beyond goes to disk. */
const MAX_BYTES_IN_MEMORY = 32 << 20;

/** The files that no job has read yet: small ones in memory, others in a folder. Nothing else goes to disk. */
export class Uploads {
  readonly #parent: string;
  readonly #processes: Processes;
  #folder: Promise<string> | undefined;
  #bytesInMemory = 0;
  #isClosed = false;

  /** @param parent the temporary folder */
  constructor(parent: string, processes: Processes) {
    this.#parent = parent;
    this.#processes = processes;
  }

  removeAbandoned(): Promise<void> {
    return removeLeftovers(this.#parent, FOLDER_PREFIX, this.#processes);
  }

  create(): Upload {
    return new Upload(this);
  }

  /** Whether memory has room for so many more bytes, which count until they are released. */
  reserve(bytes: number): boolean {
    if (this.#bytesInMemory + bytes > MAX_BYTES_IN_MEMORY) return false;
    this.#bytesInMemory += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytesInMemory -= bytes;
  }

  /** @throws ProblemError `insufficient_storage` */
  async createFile(): Promise<{ readonly path: string; readonly handle: FileHandle }> {
    try {
      const path = join(await this.#ensureFolder(), randomUUID());
      return { path, handle: await open(path, "wx", 0o600) };
    } catch (error) {
      throw isFileSystemError(error) ? insufficientStorage(this.#parent, error) : error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const created = await this.#folder?.catch(() => undefined);
    if (created !== undefined) await rm(created, { recursive: true, force: true });
  }

  /** Creates the folder, readable only by its owner, again if a cleaner of temporary files has removed it. */
  async #ensureFolder(): Promise<string> {
    const known = this.#folder;
    if (known && (this.#isClosed || (await exists(known)))) return known;
    if (this.#folder === known)
      this.#folder = makeTemporaryFolder(this.#parent, FOLDER_PREFIX, this.#processes);
    return this.#folder as Promise<string>;
  }
}

const exists = (folder: Promise<string>): Promise<boolean> =>
  folder.then(access).then(
    () => true,
    () => false,
  );

/** One received file. Who takes it removes it; otherwise `discard` does. */
export class Upload {
  readonly #uploads: Uploads;
  /** Null once the file is on disk. */
  #content: ByteCollector | null = new ByteCollector();
  #path = "";
  #handle: FileHandle | null = null;
  #isTaken = false;

  constructor(uploads: Uploads) {
    this.#uploads = uploads;
  }

  /** @throws ProblemError `insufficient_storage` */
  async append(chunk: Uint8Array): Promise<void> {
    const content = this.#content;
    if (content !== null) {
      const isSmall = content.length + chunk.length <= MAX_FILE_BYTES_IN_MEMORY;
      if (isSmall && this.#uploads.reserve(chunk.length)) return content.append(chunk);
      const { path, handle } = await this.#uploads.createFile();
      this.#path = path;
      this.#handle = handle;
      await this.#write(content.bytes());
      this.#forget();
    }
    await this.#write(chunk);
  }

  /** Closes a file on disk, which is complete. */
  async end(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }

  take(): this {
    this.#isTaken = true;
    return this;
  }

  async discard(): Promise<void> {
    if (!this.#isTaken) await this.remove();
  }

  async remove(): Promise<void> {
    this.#forget();
    await this.end();
    if (this.#path !== "") await rm(this.#path, { force: true });
  }

  /** The file in slices of at most `size` bytes. */
  async *slices(size: number): AsyncGenerator<Buffer> {
    if (this.#content === null) {
      yield* createReadStream(this.#path, { highWaterMark: size });
      return;
    }
    const bytes = this.#content.bytes();
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }

  async bytes(): Promise<Buffer> {
    return this.#content?.bytes() ?? (await readFile(this.#path));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle?.appendFile(bytes);
    } catch (error) {
      throw isFileSystemError(error) ? insufficientStorage(this.#path, error) : error;
    }
  }

  #forget(): void {
    if (this.#content !== null) this.#uploads.release(this.#content.length);
    this.#content = null;
  }
}

const isFileSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof (error as NodeJS.ErrnoException | null)?.syscall === "string";

function insufficientStorage(path: string, { code }: NodeJS.ErrnoException): ProblemError {
  if (code === "EMFILE" || code === "ENFILE")
    return problemError("overloaded", "Too many files are open to store the upload. Repeat it later.", {
      headers: { "Retry-After": "1" },
    });
  const reason =
    code === "ENOSPC" || code === "EDQUOT" ? `no room is left in ${path}` : `it cannot write to ${path}`;
  return problemError(
    "insufficient_storage",
    `The sandbox cannot store the upload: ${reason} (${code}). Set TMPDIR to a folder that it can write to ` +
      "(for startSandbox: the option tempDir), and start it again.",
  );
}
