import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { timeToDay } from "../../../domain/entries/dates.ts";
import type { Entry } from "../../../domain/entries/entry.ts";
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

/** An entry of a file that was submitted before. */
interface EarlierEntry {
  readonly submission: WriteRecord;
  /** The file, with the time of its submission. */
  readonly fileName: string;
  readonly digest: string;
}

/** Finds entries that are in two files: both of this run, or one that was submitted before, and still stands where it was. */
export class EntryOverlaps {
  readonly #context: Context;
  /** By entry number, the first file of this run. */
  readonly #files = new Map<string, string>();
  /** By the number of an accepted entry, as the latest file of earlier runs has it: a rejected one is corrected and comes again. */
  readonly #earlierEntries = new Map<string, EarlierEntry>();
  /** By the path of a file of this run, the submission that has all of its entries, unchanged. */
  readonly #repeated = new Map<string | null, WriteRecord>();
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
    const unchanged = new Map<WriteRecord, number>();
    let all = 0;
    let entries = 0;
    return {
      add: (entry: Entry): void => {
        const { entryNumber } = entry;
        all += 1;
        const first = this.#files.get(entryNumber);
        if (first === undefined && this.#files.size < MAX_REMEMBERED_ENTRIES)
          this.#files.set(entryNumber, name);
        const earlier = this.#earlierEntries.get(entryNumber);
        if (earlier && earlier.digest === digestOf(entry))
          unchanged.set(earlier.submission, (unchanged.get(earlier.submission) ?? 0) + 1);
        const other = first === undefined || first === name ? earlier?.fileName : first;
        if (other === undefined) return;
        otherFiles.add(other);
        entries += 1;
      },
      /** @returns a warning about entries that other files have; null if there are none, or if the file is a repeated one */
      end: (isSame: (submission: WriteRecord) => boolean): string | null => {
        const [repeated] =
          [...unchanged].find(([submission, count]) => count === all && isSame(submission)) ?? [];
        if (repeated) this.#repeated.set(path, repeated);
        if (entries === 0 || repeated) return null;
        const [first, ...more] = otherFiles;
        const others = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
        return `${formatCount(entries, "entry of", "entries of")} ${name} ${entries === 1 ? "is" : "are"} also in ${others}, so that the claim would count ${entries === 1 ? "it" : "them"} twice`;
      },
    };
  }

  /** The submission of which a file of this run, which was read to its end, has the same entries. */
  findRepeated({ path }: InputFile): WriteRecord | null {
    return this.#repeated.get(path) ?? null;
  }

  async #readEarlierFiles(records: readonly WriteRecord[], newFile: InputFile): Promise<void> {
    // The export of the day before a large one is large.
    const maxBytes = Math.max(MAX_BYTES, 2 * newFile.size);
    for (const record of records) {
      const { bytes, key, path } = record;
      const isTooMuch = this.#bytes + (bytes ?? 0) > maxBytes;
      if (this.#keys.has(key) || isTooMuch || path === undefined) continue;
      this.#keys.add(key);
      await this.#readEarlierFile(record, path);
    }
  }

  /** Reads nothing if the file is not there any more, or if another one has taken its place. */
  async #readEarlierFile(submission: WriteRecord, path: string): Promise<void> {
    const context = this.#context;
    const { bytes, fileSha256 } = submission;
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || found.size !== bytes) return;
    const file = await openInput(context, path).catch(() => null);
    if (file === null) return;
    try {
      if ((await file.hash()) !== fileSha256) return;
      const { readEntries } = await import("./assess-file.ts");
      const fileName = nameSubmission(submission);
      await readEntries(context, file, timeToDay(context.now()), (entry) => {
        if (!this.#earlierEntries.has(entry.entryNumber))
          this.#earlierEntries.set(entry.entryNumber, { submission, fileName, digest: digestOf(entry) });
      });
      this.#bytes += bytes;
    } finally {
      await file.close();
    }
  }
}

const nameSubmission = ({ at, file, path, seller }: WriteRecord): string =>
  `${file ?? path} (submitted at ${formatTime(at)} for ${seller})`;

/** What an entry says, without its place in the file and the columns that are not read. */
function digestOf({ extra: _, line: __, warnings: ___, ...content }: Entry): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64");
}
