import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { createFolder } from "../../../files/folders.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { IncomingDelivery } from "./read-delivery.ts";

const INDEX_FILE = "index.ndjson";

/** Keeps deliveries as files, each a raw HTTP request, and a line on each in an index. A partner's data: mode 0600. */
export class Recorder {
  readonly #context: Context;
  readonly #folder: string;
  /** Two listeners may keep the same delivery in the same folder at the same time. */
  readonly #tag = randomUUID().slice(0, 8);
  #isWhole = true;

  private constructor(context: Context, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  /** @throws ClaimsError `cannot_record` where there can be no such folder */
  static async open(context: Context, path: string): Promise<Recorder> {
    const folder = resolve(context.cwd, path);
    try {
      await createFolder(folder, 0o700);
    } catch (cause) {
      const message = `cannot record into ${path}: ${describeFileError(cause)}`;
      throw new ClaimsError("usage", "cannot_record", message, { hint: "name another folder", cause });
    }
    return new Recorder(context, folder);
  }

  /** Resolves to the name of the file; null where it could not be written, which is told and stops nobody. */
  async saveRequest(incoming: IncomingDelivery, number: number): Promise<string | null> {
    const time = new Date(incoming.at).toISOString().replaceAll(/[-:]/g, "");
    const name = `${time}-${String(number).padStart(4, "0")}-${this.#tag}.http`;
    const isKept = await this.#attempt(() =>
      writeFileAtomically(join(this.#folder, name), rawHttpRequest(incoming), { mode: 0o600 }),
    );
    return isKept ? name : null;
  }

  /** A line of the index. */
  async appendToIndex(line: string): Promise<void> {
    await this.#attempt(() => appendFile(join(this.#folder, INDEX_FILE), `${line}\n`, { mode: 0o600 }));
  }

  /** Told at the end, where anything is missing. */
  toError(): ClaimsError | undefined {
    if (this.#isWhole) return undefined;
    return new ClaimsError(
      "usage",
      "cannot_record",
      `not everything could be recorded into ${this.#folder}`,
      {
        hint: "make room, or record into another folder; what was shown is all that is left of them",
      },
    );
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.#isWhole)
        printMessage(
          this.#context,
          `warning: cannot record: ${(error as Error).message}; deliveries are still taken`,
        );
      this.#isWhole = false;
      return false;
    }
  }
}

/**
 * The request as it came. A body that came in chunks is one chunk, so that its own header still tells the truth: `verify`
 * would take an unframed one for chunks if it looked like some.
 */
function* rawHttpRequest({ path, headers, body }: IncomingDelivery): Generator<Uint8Array> {
  const target = path.replace(/[^\x21-\x7e]/g, encodeURIComponent);
  const lines = [`POST ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  // Node reads headers as Latin-1, a character a byte.
  yield Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const isChunked = headers.some(([name]) => name.toLowerCase() === "transfer-encoding");
  if (!isChunked) yield body;
  else {
    if (body.length > 0) {
      yield Buffer.from(`${body.length.toString(16)}\r\n`);
      yield body;
      yield Buffer.from("\r\n");
    }
    yield Buffer.from("0\r\n\r\n");
  }
}
