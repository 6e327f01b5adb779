import { formatCount } from "../../../../domain/numbers.ts";

/** About 80 MB. The numbers of further entries are looked up, but not remembered. */
const MAX_REMEMBERED_ENTRIES = 1_000_000;

/** Finds entries that are in two files of a batch. */
export class EntryOverlaps {
  /** By entry number, the first file. */
  readonly #files = new Map<string, string>();

  /** @param name of the file, which may be read again */
  startFile(name: string) {
    const otherFiles = new Set<string>();
    let entries = 0;
    return {
      add: (entryNumber: string): void => {
        const first = this.#files.get(entryNumber);
        if (first === undefined && this.#files.size < MAX_REMEMBERED_ENTRIES)
          this.#files.set(entryNumber, name);
        if (first === undefined || first === name) return;
        otherFiles.add(first);
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
}
