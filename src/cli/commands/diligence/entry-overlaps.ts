import { stat } from "node:fs/promises";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { createLimit } from "../../../domain/limit.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";

/** About 80 MB. The numbers of further entries are looked up, but not remembered. */
const MAX_REMEMBERED_ENTRIES = 1_000_000;

/** 70,000 entries, which are read in half a second. The latest files come first. */
const MAX_BYTES = 16 << 20;

interface EarlierFile {
  readonly name: string;
  readonly path: string;
}

/** Finds entries that are in two files: both of this run, or one that was submitted before, and still stands where it was. */
export class EntryOverlaps {
  readonly #context: Context;
  /** By entry number, the first file of this run. */
  readonly #files = new Map<string, string>();
  /** By the number of an accepted entry, the latest file of earlier runs: a rejected one is corrected and comes again. */
  readonly #earlierFiles = new Map<string, EarlierFile>();
  /** The keys of the submissions whose files were read. */
  readonly #keys = new Set<string>();
  #bytes = 0;
  /** Two new files at the same time wait for the same earlier ones. */
  readonly #reading = createLimit(1);

  constructor(context: Context) {
    this.#context = context;
  }

  /** @param earlierFiles submissions of earlier runs, latest first */
  async startFile(file: InputFile, earlierFiles: readonly WriteRecord[]) {
    await this.#reading(() => this.#readEarlierFiles(earlierFiles, file));
    const { displayName: name, path } = file;
    const otherFiles = new Set<string>();
    let entries = 0;
    return {
      add: (entryNumber: string): void => {
        const first = this.#files.get(entryNumber);
        if (first === undefined && this.#files.size < MAX_REMEMBERED_ENTRIES)
          this.#files.set(entryNumber, name);
        const earlier = this.#earlierFiles.get(entryNumber);
        // A file of the same size may have taken the place of the one that was submitted.
        const earlierName = earlier?.path === path ? undefined : earlier?.name;
        const other = first === undefined || first === name ? earlierName : first;
        if (other === undefined) return;
        otherFiles.add(other);
        entries += 1;
      },
      /** Complete after the last entry; null if no other file has one. */
      warning: (): string | null => {
        if (entries === 0) return null;
        const [first, ...more] = otherFiles;
        const others = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
        return `${formatCount(entries, "entry of", "entries of")} ${name} ${entries === 1 ? "is" : "are"} also in ${others}, so that the claim would count ${entries === 1 ? "it" : "them"} twice`;
      },
    };
  }

  async #readEarlierFiles(records: readonly WriteRecord[], newFile: InputFile): Promise<void> {
    // The export of the day before a large one is large.
    const maxBytes = Math.max(MAX_BYTES, 2 * newFile.size);
    for (const record of records) {
      const { bytes, key, path } = record;
      const isTooMuch = this.#bytes + (bytes ?? 0) > maxBytes;
      if (this.#keys.has(key) || isTooMuch || path === undefined || path === newFile.path) continue;
      this.#keys.add(key);
      await this.#readEarlierFile(record, path);
    }
  }

  /** Reads nothing if the file is not there any more, or has another size: then it is another one. */
  async #readEarlierFile({ at, bytes, file: displayName }: WriteRecord, path: string): Promise<void> {
    const context = this.#context;
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || found.size !== bytes) return;
    const file = await openInput(context, path, { displayName: displayName ?? path }).catch(() => null);
    if (file === null) return;
    const earlier = { name: `${file.displayName} (submitted at ${formatTime(at)})`, path };
    const { readEntryNumbers } = await import("./assess-file.ts");
    await readEntryNumbers(context, file, timeToDay(context.now()), (entryNumber) => {
      if (!this.#earlierFiles.has(entryNumber)) this.#earlierFiles.set(entryNumber, earlier);
    }).finally(file.close);
    this.#bytes += bytes;
  }
}
