import { copyText } from "./csv/copy-text.ts";

/**
 * Remembers what a short text means, for files repeat their importers' names. The memory is bounded whatever the
 * file holds: long texts are worked out anew, and a full memo starts over.
 */
export class Memo<T> {
  readonly #values = new Map<string, T>();
  readonly #compute: (text: string) => T;
  readonly #maxEntries: number;
  readonly #maxLength: number;
  #lastText: string | null = null;
  #lastValue: T | null = null;

  constructor(work: (text: string) => T, maxEntries: number, maxLength: number) {
    this.#compute = work;
    this.#maxEntries = maxEntries;
    this.#maxLength = maxLength;
  }

  get(text: string): T {
    // Neighbouring rows often agree, and comparing is cheaper than hashing.
    if (text === this.#lastText && this.#lastValue !== null) return this.#lastValue;
    const known = this.#values.get(text);
    const value = known === undefined ? this.#computeAndStore(text) : known;
    if (text.length <= this.#maxLength) {
      this.#lastText = text;
      this.#lastValue = value;
    }
    return value;
  }

  #computeAndStore(text: string): T {
    const value = this.#compute(text);
    if (text.length > this.#maxLength) return value;
    if (this.#values.size >= this.#maxEntries) this.#values.clear();
    this.#values.set(copyText(text), value);
    return value;
  }
}
