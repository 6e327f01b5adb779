import { createRandomNumbers } from "../random-numbers.ts";

export class SeededRandom {
  readonly #next: () => number;

  constructor(key: string) {
    this.#next = createRandomNumbers(key);
  }

  /** From 0, less than `limit`. */
  integerBelow(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  /** From `min` to `max`, both included. */
  integerBetween(min: number, max: number): number {
    return min + this.integerBelow(max - min + 1);
  }

  /** @param list not empty */
  pick<T>(list: readonly T[]): T {
    return list[this.integerBelow(list.length)] as T;
  }
}
