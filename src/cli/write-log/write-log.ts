import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ClaimsError, needsDecisionError, unreachableError, usageError } from "../../domain/errors.ts";
import { toShellWord } from "../../domain/shell.ts";
import type { Context } from "../context.ts";
import { describeFileError, isDiskError, recover } from "../files/file-errors.ts";
import { type Lock, withLock } from "../files/file-lock.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { type LineForgotten, parseEvent, type WriteEvent } from "./events.ts";

/** Ends a line that was cut off (ASCII "cancel"). JSON cannot contain it. */
export const CANCELLED_MARK = "\u0018";
const LF = 0x0a;

interface LogLabels {
  readonly name: string;
  readonly hint: string;
  /** The option that names this log to `claims history forget --line`. */
  readonly option?: string;
}

/** Append-only, one JSON event a line, mode 0600. The next writer cancels a line that was cut off. */
export class WriteLog {
  readonly #path: string;
  readonly #context: Context;
  readonly #labels: LogLabels;
  #hasWarned = false;
  /** How far {@link readNew} has read. */
  #end = { bytes: 0, lines: 0 };
  /** Lines that no version of the program up to this one wrote, by number. Each may be a submission. */
  readonly #unreadable = new Map<number, Pick<LineForgotten, "line" | "sha256">>();

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
  async append(...events: readonly WriteEvent[]): Promise<void> {
    try {
      await refuseSpecialFile(this.#path);
      await createFolder(dirname(this.#path), 0o700);
      const file = await open(this.#path, "a+", 0o600);
      try {
        const { size } = await file.stat();
        const last = size === 0 ? LF : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
        const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
        const bytes = Buffer.from(`${last === LF ? "" : `${CANCELLED_MARK}\n`}${lines}`);
        const { bytesWritten } = await file.write(bytes);
        if (bytesWritten < bytes.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
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

  /** Oldest first. Lines that cannot be read cause one warning. @param text reads only lines that contain it */
  async read(text = ""): Promise<WriteEvent[]> {
    this.#end = { bytes: 0, lines: 0 };
    this.#unreadable.clear();
    const events = await this.readNew(text);
    const unreadable = this.#describeUnreadable();
    if (unreadable !== null && !this.#hasWarned) {
      this.#hasWarned = true;
      const { problem, hint } = unreadable;
      printMessage(this.#context, `warning: ${problem} and is left out; ${hint}`);
    }
    return events;
  }

  /** The events after those that were read before. */
  async readNew(text = ""): Promise<WriteEvent[]> {
    const bytes = await this.#readBytes(this.#end.bytes);
    // Text after the last line feed is not an event yet.
    const whole = bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
    const lines = whole.toString("utf8").split("\n").slice(0, -1);
    const events: WriteEvent[] = [];
    for (const [index, line] of lines.entries()) {
      const isOther = !line.includes(text) && !line.includes(LINE_FORGOTTEN);
      if (isOther || line === "" || line.endsWith(CANCELLED_MARK)) continue;
      const event = parseEvent(line);
      const number = this.#end.lines + index + 1;
      if (event === null) this.#unreadable.set(number, { line: number, sha256: hashLine(line) });
      else if (event.type !== "line_forgotten") events.push(event);
      else if (this.#unreadable.get(event.line)?.sha256 === event.sha256) this.#unreadable.delete(event.line);
    }
    this.#end = { bytes: this.#end.bytes + whole.length, lines: this.#end.lines + lines.length };
    return events;
  }

  /** The error if a line that was read may be a submission of which nothing else is known: exit 10. */
  findUnreadableLine(): ClaimsError | null {
    const unreadable = this.#describeUnreadable();
    if (unreadable === null) return null;
    const { problem, hint } = unreadable;
    return needsDecisionError("log_line_unreadable", `${problem}, and may be an earlier submission`, {
      hint,
    });
  }

  /** @throws ClaimsError `option_invalid` for a line that can be read */
  async forgetLine(line: number, at: string): Promise<void> {
    await this.readNew();
    const unreadable = this.#unreadable.get(line);
    if (unreadable === undefined) {
      const message = `line ${line} of ${this.#path} can be read, or was forgotten before`;
      throw usageError("option_invalid", message, {
        option: "--line",
        hint: "an error about a line that cannot be read names its number",
      });
    }
    await this.append({ type: "line_forgotten", at, ...unreadable });
  }

  /** What a message says of the lines that cannot be read, and what to do; null if there are none. */
  #describeUnreadable() {
    const [first] = this.#unreadable.values();
    if (first === undefined) return null;
    const { line } = first;
    const count = this.#unreadable.size;
    const lines = count === 1 ? `line ${line}` : `${count} lines, the first is line ${line},`;
    const { option } = this.#labels;
    const log = option === undefined ? "" : ` ${option} ${toShellWord(this.#path)}`;
    const forget = `\`claims history forget --line ${line}${log}\``;
    return {
      problem: `${this.#path}: ${lines} cannot be read`,
      hint: `look at the line, and for the submission on the service; then ${forget}`,
    };
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
}

const hashLine = (line: string): string => createHash("sha256").update(line).digest("hex");

/** The beginning of the line of a {@link LineForgotten}. */
const LINE_FORGOTTEN = '{"type":"line_forgotten"';

export const openWriteLog = (context: Context): WriteLog =>
  new WriteLog(join(resolveStateFolder(context), "writes.jsonl"), context, {
    name: "the write log",
    hint: "make it writable, or set CLAIMS_CONFIG_DIR to a writable folder",
  });

/** A log next to the manifest or the folder of a batch, in the form of the write log. */
export const openBatchLogFile = (context: Context, path: string, displayName: string): WriteLog =>
  new WriteLog(path, context, {
    name: `the batch log of ${displayName}`,
    hint: "make it writable, or name another file with --batch-log",
    option: "--batch-log",
  });
