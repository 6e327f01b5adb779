import { numbersFrom } from "../random-numbers.ts";

/** Chance that follows from a seed. */
export class Draw {
  readonly #next: () => number;

  constructor(key: string) {
    this.#next = numbersFrom(key);
  }

  /** A whole number from 0, less than `limit`. */
  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** One of a list. */
  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }
}
