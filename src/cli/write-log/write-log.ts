import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError, hasErrorCode } from "../files/file-errors.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { parseEvent, type WriteEvent } from "./events.ts";

/** Ends a line that was cut off (ASCII "cancel"). JSON cannot contain it. */
export const CANCELLED_MARK = "\u0018";

const LF = 0x0a;

/** How errors name a log, and what to do if it cannot be written. */
interface LogLabels {
  readonly name: string;
  readonly hint: string;
}

/**
 * An append-only file of events, one JSON line each, mode 0600. An event counts when its line feed is written. The next
 * writer cancels a line that a kill or a full disk cut off.
 */
export class WriteLog {
  readonly #path: string;
  readonly #context: Pick<Context, "stderr">;
  readonly #labels: LogLabels;
  #hasWarned = false;

  constructor(path: string, context: Pick<Context, "stderr">, labels: LogLabels) {
    this.#path = path;
    this.#context = context;
    this.#labels = labels;
  }

  /**
   * Adds an event and syncs it to the disk. It is one write, because other processes append too.
   *
   * @throws ClaimsError `write_log_unwritable`
   */
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
      const message = `cannot write ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`;
      const hint = hasErrorCode(cause, "ENOSPC") ? "make room on the disk" : this.#labels.hint;
      throw usageError("write_log_unwritable", message, { hint, cause });
    }
  }

  /**
   * The events, oldest first. Invalid lines cause one warning and are left out.
   *
   * @param text reads only lines that contain it
   */
  async read(text = ""): Promise<WriteEvent[]> {
    const lines = (await this.#readText()).split("\n");
    // Text after the last line feed is not an event yet.
    lines.pop();
    const invalid: number[] = [];
    const events: WriteEvent[] = [];
    for (const [index, line] of lines.entries()) {
      if (!line.includes(text) || line === "" || line.endsWith(CANCELLED_MARK)) continue;
      const event = parseEvent(line);
      if (event) events.push(event);
      else invalid.push(index + 1);
    }
    this.#warn(invalid);
    return events;
  }

  async #readText(): Promise<string> {
    try {
      return (await readRegularFile(this.#path)) ?? "";
    } catch (cause) {
      const message = `cannot read ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`;
      throw usageError("write_log_unreadable", message, {
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
