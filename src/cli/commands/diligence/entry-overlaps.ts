import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";
import { EarlierEntries, type EarlierFile } from "./earlier-entries.ts";

/** About 80 MB. The numbers of further entries are looked up, but not remembered. */
const MAX_REMEMBERED_ENTRIES = 1_000_000;

/** Finds entries that are in two files: both of this run, or one that was submitted before. */
export class EntryOverlaps {
  /** By entry number, the first file of this run. */
  readonly #files = new Map<string, string>();
  readonly #earlier: EarlierEntries;

  constructor(context: Context) {
    this.#earlier = new EarlierEntries(context);
  }

  /**
   * @param file may be read again
   * @param earlierFiles submissions of earlier runs, latest first
   */
  async startFile(file: InputFile, earlierFiles: readonly WriteRecord[]) {
    await this.#earlier.add(earlierFiles, file);
    const { displayName: name, path } = file;
    const otherFiles = new Set<string>();
    const suspects: { readonly entryNumber: string; readonly earlier: EarlierFile }[] = [];
    let entries = 0;
    const count = (otherFile: string): void => {
      otherFiles.add(otherFile);
      entries += 1;
    };
    return {
      add: (entryNumber: string): void => {
        const first = this.#files.get(entryNumber);
        if (first === undefined && this.#files.size < MAX_REMEMBERED_ENTRIES)
          this.#files.set(entryNumber, name);
        const earlier = this.#earlier.find(entryNumber);
        if (first !== undefined && first !== name) count(first);
        // A file of the same size may have taken the place of the one that was submitted.
        else if (earlier !== null && earlier.path !== path) suspects.push({ entryNumber, earlier });
      },
      /** Complete after the last entry; null if no other file has one. */
      warning: async (): Promise<string | null> => {
        for (const { entryNumber, earlier } of suspects)
          if ((await earlier.readEntries()).has(entryNumber)) count(earlier.name);
        if (entries === 0) return null;
        const [first, ...more] = otherFiles;
        const others = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
        return `${formatCount(entries, "entry of", "entries of")} ${name} ${entries === 1 ? "is" : "are"} also in ${others}, so that the claim would count ${entries === 1 ? "it" : "them"} twice`;
      },
    };
  }
}
