import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { parseEvent, type WriteEvent } from "./events.ts";

/** What a line ends with that was cut off in the writing (ASCII "cancel"): no JSON text can hold it. */
export const CANCELLED_MARK = "\u0018";

const LF = 0x0a;

/** How errors speak of a journal. */
interface LogLabels {
  readonly name: string;
  /** What to do when it cannot be written. */
  readonly hint: string;
}

/**
 * An append-only file of records, one JSON line each, mode 0600. A record counts once its line feed is there: what a
 * kill or a full disk has cut off is voided by whoever writes next, and never becomes part of another record.
 */
export class WriteLog {
  readonly #path: string;
  readonly #context: Pick<Context, "stderr">;
  readonly #labels: LogLabels;
  #hasWarned = false;

  constructor(path: string, context: Pick<Context, "stderr">, words: LogLabels) {
    this.#path = path;
    this.#context = context;
    this.#labels = words;
  }

  /**
   * Adds a record and waits until the disk has it. One write: a process beside this one may append too.
   *
   * @throws ClaimsError `journal_unwritable`, of kind usage
   */
  async append(record: WriteEvent): Promise<void> {
    try {
      await refuseSpecialFile(this.#path);
      await createFolder(dirname(this.#path), 0o700);
      const file = await open(this.#path, "a+", 0o600);
      try {
        const { size } = await file.stat();
        const last = size === 0 ? LF : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
        const line = Buffer.from(`${last === LF ? "" : `${CANCELLED_MARK}\n`}${JSON.stringify(record)}\n`);
        const { bytesWritten } = await file.write(line);
        if (bytesWritten < line.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (cause) {
      throw usageError(
        "journal_unwritable",
        `cannot write ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`,
        { hint: isDiskFull(cause) ? "make room on the disk" : this.#labels.hint, cause },
      );
    }
  }

  /**
   * The records, oldest first; none where there is no file. A line that is no record is told once and skipped.
   *
   * @param mention only lines that hold this text are looked at
   */
  async read(mention = ""): Promise<WriteEvent[]> {
    const lines = (await this.#text()).split("\n");
    // What follows the last line feed is no record yet.
    lines.pop();
    const broken: number[] = [];
    const records: WriteEvent[] = [];
    for (const [index, line] of lines.entries()) {
      if (!line.includes(mention) || line === "" || line.endsWith(CANCELLED_MARK)) continue;
      const record = parseEvent(line);
      if (record) records.push(record);
      else broken.push(index + 1);
    }
    this.#warn(broken);
    return records;
  }

  async #text(): Promise<string> {
    try {
      return await readRegularFile(this.#path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw usageError(
        "journal_unreadable",
        `cannot read ${this.#labels.name}, ${this.#path}: ${describeFileError(cause)}`,
        { hint: "make it readable; it knows what was sent from here", cause },
      );
    }
  }

  #warn(broken: readonly number[]): void {
    if (broken.length === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    const which =
      broken.length === 1 ? `line ${broken[0]}` : `${broken.length} lines, the first is ${broken[0]},`;
    printMessage(this.#context, `warning: ${this.#path}: ${which} cannot be read; what it said is left out`);
  }
}

const isDiskFull = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOSPC";

/** The journal of this machine: every write that left from here. */
export const openWriteLog = (context: Context): WriteLog =>
  new WriteLog(join(resolveStateFolder(context), "journal.jsonl"), context, {
    name: "the journal of this machine",
    hint: "make it writable, or set CLAIMS_CONFIG_DIR to a folder that is",
  });
