import { EntryNumberIndex } from "../../../../domain/entries/entry-number-index.ts";
import { formatCount } from "../../../../domain/numbers.ts";

/** 48 MiB. The numbers of further entries are not remembered, only looked up. */
const MAX_REMEMBERED_ENTRIES = 2_000_000;

/** Finds entries that are in two files of a batch. */
export class EntryOverlaps {
  readonly #files: string[] = [];
  readonly #entries = new EntryNumberIndex();

  /** @param name of the file, which may be read again */
  startFile(name: string) {
    const known = this.#files.indexOf(name);
    const file = known === -1 ? this.#files.push(name) - 1 : known;
    const counts = new Map<number, number>();
    return {
      add: (entryNumber: string): void => {
        if (this.#entries.size >= MAX_REMEMBERED_ENTRIES) return;
        const first = this.#entries.add(entryNumber, file);
        if (first !== null && first !== file) counts.set(first, (counts.get(first) ?? 0) + 1);
      },
      /** Complete after the last entry; null if no other file has one. */
      warning: (): string | null => {
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
        if (total === 0) return null;
        const [first, ...more] = [...counts.keys()].map((index) => this.#files[index]);
        const others = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
        return `${formatCount(total, "entry of", "entries of")} ${name} ${total === 1 ? "is" : "are"} also in ${others}, so that the claim would count ${total === 1 ? "it" : "them"} twice`;
      },
    };
  }
}
