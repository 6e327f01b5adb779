import { ownText } from "./own-text.ts";

/**
 * Remembers what a short text means, for files repeat their importers' names. The memory is bounded whatever the
 * file holds: long texts are worked out anew, and a full memo starts over.
 */
export class Memo<T> {
  readonly #known = new Map<string, T>();
  readonly #work: (text: string) => T;
  readonly #maxEntries: number;
  readonly #maxLength: number;
  #lastText: string | null = null;
  #lastValue: T | null = null;

  constructor(work: (text: string) => T, maxEntries: number, maxLength: number) {
    this.#work = work;
    this.#maxEntries = maxEntries;
    this.#maxLength = maxLength;
  }

  get(text: string): T {
    // Neighbouring rows often agree, and comparing is cheaper than hashing.
    if (text === this.#lastText && this.#lastValue !== null) return this.#lastValue;
    const known = this.#known.get(text);
    const value = known === undefined ? this.#learn(text) : known;
    if (text.length <= this.#maxLength) {
      this.#lastText = text;
      this.#lastValue = value;
    }
    return value;
  }

  #learn(text: string): T {
    const value = this.#work(text);
    if (text.length > this.#maxLength) return value;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    this.#known.set(ownText(text), value);
    return value;
  }
}
