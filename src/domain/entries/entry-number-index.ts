import { FirstLines } from "./layouts/first-lines.ts";
import { encodeEntryNumber, isWellFormed } from "./rules/entry-number.ts";

/** Remembers the first value of each entry number: 24 MiB for a million of the usual form, and more for others. */
export class EntryNumberIndex {
  size = 0;
  readonly #usual = new FirstLines();
  readonly #others = new Map<string, number>();

  /** Returns the first value of the number, or null when it is new. @param value a small integer */
  add(number: string, value: number): number | null {
    const first = isWellFormed(number)
      ? this.#usual.add(encodeEntryNumber(number), value)
      : (this.#others.get(number) ?? null);
    if (first !== null) return first;
    if (!isWellFormed(number)) this.#others.set(number, value);
    this.size += 1;
    return null;
  }
}
