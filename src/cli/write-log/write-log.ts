import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ClaimsError, unreachableError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError, isDiskError, recover } from "../files/file-errors.ts";
import { type Lock, withLock } from "../files/file-lock.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { parseEvent, type WriteEvent } from "./events.ts";

/** Ends a line that was cut off (ASCII "cancel"). JSON cannot contain it. */
export const CANCELLED_MARK = "\u0018";
const LF = 0x0a;

interface LogLabels {
  readonly name: string;
  readonly hint: string;
}

/** Append-only, one JSON event a line, mode 0600. The next writer cancels a line that was cut off. */
export class WriteLog {
  readonly #path: string;
  readonly #context: Context;
  readonly #labels: LogLabels;
  #hasWarned = false;
  /** How far {@link readNew} has read. */
  #end = { bytes: 0, lines: 0 };

  constructor(path: string, context: Context, labels: LogLabels) {
    this.#path = path;
    this.#context = context;
    this.#labels = labels;
  }

  /** No other process decides about a write meanwhile. @throws ClaimsError `locked`, `write_log_unwritable` */
  async lock<T>(work: (lock: Lock) => Promise<T>): Promise<T> {
    try {
      await createFolder(dirname(this.#path), 0o700);
      return await withLock(this.#context, this.#path, work);
    } catch (cause) {
      if (cause instanceof ClaimsError && cause.code !== "cannot_lock") throw cause;
      throw this.#toWriteError(cause instanceof ClaimsError ? cause.cause : cause);
    }
  }

  /** One write, because other processes append too; synced. @throws ClaimsError `write_log_unwritable` */
  async append(event: WriteEvent): Promise<void> {
    try {
      await refuseSpecialFile(this.#path);
      await createFolder(dirname(this.#path), 0o700);
      const file = await open(this.#path, "a+", 0o600);
      try {
        const { size } = await file.stat();
        const last = size === 0 ? LF : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
        const line = Buffer.from(`${last === LF ? "" : `${CANCELLED_MARK}\n`}${JSON.stringify(event)}\n`);
        const { bytesWritten } = await file.write(line);
        if (bytesWritten < line.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (cause) {
      throw this.#toWriteError(cause);
    }
  }

  #toWriteError(cause: unknown): ClaimsError {
    const message = `cannot write ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`;
    const hint = isDiskError(cause) ? "make room on the disk" : this.#labels.hint;
    return unreachableError("write_log_unwritable", message, { hint, cause });
  }

  /** Oldest first. Invalid lines cause one warning. @param text reads only lines that contain it */
  async read(text = ""): Promise<WriteEvent[]> {
    this.#end = { bytes: 0, lines: 0 };
    return this.readNew(text);
  }

  /** The events after those that were read before. */
  async readNew(text = ""): Promise<WriteEvent[]> {
    const bytes = await this.#readBytes(this.#end.bytes);
    // Text after the last line feed is not an event yet.
    const whole = bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
    const lines = whole.toString("utf8").split("\n").slice(0, -1);
    const invalid: number[] = [];
    const events: WriteEvent[] = [];
    for (const [index, line] of lines.entries()) {
      if (!line.includes(text) || line === "" || line.endsWith(CANCELLED_MARK)) continue;
      const event = parseEvent(line);
      if (event) events.push(event);
      else invalid.push(this.#end.lines + index + 1);
    }
    this.#end = { bytes: this.#end.bytes + whole.length, lines: this.#end.lines + lines.length };
    this.#warn(invalid);
    return events;
  }

  async #readBytes(start: number): Promise<Buffer> {
    try {
      await refuseSpecialFile(this.#path);
      const file = await recover(open(this.#path), null, "ENOENT");
      if (file === null) return Buffer.alloc(0);
      const size = Math.max(0, (await file.stat()).size - start);
      const { buffer, bytesRead } = await file
        .read(Buffer.alloc(size), 0, size, start)
        .finally(() => file.close());
      return buffer.subarray(0, bytesRead);
    } catch (cause) {
      const message = `cannot read ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`;
      throw unreachableError("write_log_unreadable", message, {
        hint: "make it readable; it knows which writes were sent",
        cause,
      });
    }
  }

  #warn([first, ...others]: readonly number[]): void {
    if (first === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    const which =
      others.length === 0 ? `line ${first}` : `${others.length + 1} lines, the first is ${first},`;
    printMessage(this.#context, `warning: ${this.#path}: ${which} cannot be read and is left out`);
  }
}

export const openWriteLog = (context: Context): WriteLog =>
  new WriteLog(join(resolveStateFolder(context), "writes.jsonl"), context, {
    name: "the write log",
    hint: "make it writable, or set CLAIMS_CONFIG_DIR to a writable folder",
  });
