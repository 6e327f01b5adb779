import { formatChapter99 } from "../rules/tariff-number.ts";
import { IntegerMap } from "./integer-map.ts";

/** In a longer list, a repeated number is only found when the list is read. */
const MAX_COMPARED_NUMBERS = 16;

/** As many as the six or eight digits after 99 can make, and more. */
const MAX_NUMBERS = 200_000_000;

/**
 * Gives lists of chapter 99 numbers small integers, because entries share the few different ones. Each is a shorter list and one
 * more number, so that a long list of one entry takes no more memory than its rows. 0 is the empty list.
 */
export class Chapter99Lists {
  readonly #shorter = [0];
  readonly #lastDigits = [""];
  /** By list and the number to add. */
  readonly #longer = new IntegerMap();
  readonly #texts: (readonly string[])[] = [];

  numbers(id: number): readonly string[] {
    this.#texts[id] ??= this.#read(id);
    return this.#texts[id];
  }

  /** Returns the id of the list with these digits. */
  add(id: number, digits: string): number {
    for (let at = id, compared = 0; at !== 0 && compared < MAX_COMPARED_NUMBERS; compared += 1) {
      if (this.#lastDigits[at] === digits) return id;
      at = this.#shorter[at] ?? 0;
    }
    const number = Number(digits.slice(2)) + (digits.length > 8 ? MAX_NUMBERS / 2 : 0);
    const known = this.#longer.insertIfAbsent(id * MAX_NUMBERS + number, this.#shorter.length);
    return known ?? this.#push(id, digits);
  }

  #push(id: number, digits: string): number {
    this.#lastDigits.push(digits);
    return this.#shorter.push(id) - 1;
  }

  #read(id: number): readonly string[] {
    const digits: string[] = [];
    for (let at = id; at !== 0; at = this.#shorter[at] ?? 0) digits.push(this.#lastDigits[at] ?? "");
    return [...new Set(digits.reverse())].map(formatChapter99);
  }
}
