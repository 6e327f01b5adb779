import { createHash } from "node:crypto";

/** Three words of state and a counter. */
export type RandomState = readonly [a: number, b: number, c: number, counter: number];

/** Chris Doty-Humphrey's sfc32 (PractRand): its state can be saved, and it is fast enough for a million rows. */
export class RandomNumbers {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor([a, b, c, counter]: RandomState) {
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#counter = counter;
  }

  static fromKey(key: string): RandomNumbers {
    const start = createHash("sha256").update(key).digest();
    return new RandomNumbers([
      start.readInt32LE(0),
      start.readInt32LE(4),
      start.readInt32LE(8),
      start.readInt32LE(12),
    ]);
  }

  get state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0, less than 1. */
  fraction(): number {
    return this.next() / 2 ** 32;
  }

  /** From 0, less than `limit`. */
  integerBelow(limit: number): number {
    return Math.floor(this.fraction() * limit);
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

export function createRandomNumbers(key: string): () => number {
  const series = RandomNumbers.fromKey(key);
  return () => series.next();
}
