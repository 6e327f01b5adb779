import { createRandomNumbers } from "../random-numbers.ts";

/** Chance that follows from a seed. */
export class SeededRandom {
  readonly #next: () => number;

  constructor(key: string) {
    this.#next = createRandomNumbers(key);
  }

  /** A whole number from 0, less than `limit`. */
  integerBelow(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  /** A whole number from `least` to `most`, both included. */
  integerBetween(least: number, most: number): number {
    return least + this.integerBelow(most - least + 1);
  }

  /** One of a list. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.integerBelow(list.length)] ?? list[0];
  }
}
