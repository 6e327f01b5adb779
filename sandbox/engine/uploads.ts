import { randomUUID } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The directory of the files that are being received or wait to be read. Nothing else goes to disk. */
export class Uploads {
  readonly #parent: string;
  #directory: Promise<string> | undefined;
  #closed = false;

  constructor(parent: string = tmpdir()) {
    this.#parent = parent;
  }

  /** Resolves when the directory is there; each call of what it resolves to begins a file in it. */
  async reserve(): Promise<() => Upload> {
    const directory = await this.#folder();
    return () => new Upload(join(directory, randomUUID()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const directory = await this.#directory?.catch(() => undefined);
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }

  /** mkdtemp makes it for its owner alone (0700), again when a cleaner of temporary files has removed it. */
  async #folder(): Promise<string> {
    const known = this.#directory;
    if (known && ((await isThere(known)) || this.#closed)) return known;
    const newer = this.#directory === known ? undefined : this.#directory;
    this.#directory = newer ?? mkdtemp(join(this.#parent, "claims-sandbox-"));
    return this.#directory;
  }
}

const isThere = (directory: Promise<string>): Promise<boolean> =>
  directory.then(access).then(
    () => true,
    () => false,
  );

/** One uploaded file. Whoever takes it removes it; one that nobody took is discarded with its request. */
export class Upload {
  readonly path: string;
  readonly stream: WriteStream;
  #taken = false;

  constructor(path: string) {
    this.path = path;
    this.stream = createWriteStream(path, { flags: "wx", mode: 0o600 });
  }

  take(): string {
    this.#taken = true;
    return this.path;
  }

  async discard(): Promise<void> {
    if (this.#taken) return;
    this.stream.destroy();
    // A file that is still being opened would appear after its removal.
    if (!this.stream.closed) await new Promise<void>((resolve) => this.stream.once("close", () => resolve()));
    await rm(this.path, { force: true });
  }
}
