import { randomUUID } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The directory of the files that are being received or wait to be read. Nothing else goes to disk. */
export class Uploads {
  readonly #parent: string;
  #directory: Promise<string> | undefined;

  constructor(parent: string = tmpdir()) {
    this.#parent = parent;
  }

  /** A name in the directory, which mkdtemp makes for its owner alone (0700) with the first upload. */
  async reserve(): Promise<() => Upload> {
    this.#directory ??= mkdtemp(join(this.#parent, "claims-sandbox-")).catch((error: unknown) => {
      this.#directory = undefined;
      throw error;
    });
    const directory = await this.#directory;
    return () => new Upload(join(directory, randomUUID()));
  }

  async close(): Promise<void> {
    const directory = await this.#directory;
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

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
