import { formatChapter99 } from "../rules/tariff-number.ts";

/** Of a list that entries share; an entry has a handful of numbers. */
const MAX_SHARED_NUMBERS = 16;

/** So many steps from a list to a longer one are remembered. Files have some hundred. */
const MAX_STEPS = 10_000;

/**
 * Gives lists of chapter 99 numbers small integers. 0 is the empty list. Entries share the lists, as few different ones occur; a
 * long one belongs to one entry, because each of its beginnings would take memory, and its integer is negative.
 */
export class Chapter99Lists {
  readonly #lists: (readonly string[])[] = [[]];
  readonly #ids = new Map<string, number>();
  /** By id, then by the digits to add. */
  readonly #steps: Map<string, number>[] = [];
  #stepCount = 0;
  /** The list with the id -1 is the first. */
  readonly #longLists: Set<string>[] = [];

  numbers(id: number): readonly string[] {
    return id < 0 ? [...(this.#longLists[-id - 1] ?? [])] : (this.#lists[id] ?? []);
  }

  /** Returns the id of the list with these digits. */
  add(id: number, digits: string): number {
    if (id < 0) {
      this.#longLists[-id - 1]?.add(formatChapter99(digits));
      return id;
    }
    return this.#steps[id]?.get(digits) ?? this.#findLonger(id, digits);
  }

  #findLonger(id: number, digits: string): number {
    const numbers = this.numbers(id);
    const number = formatChapter99(digits);
    if (numbers.includes(number)) return this.#remember(id, digits, id);
    if (numbers.length === MAX_SHARED_NUMBERS) return -this.#longLists.push(new Set([...numbers, number]));
    const list = [...numbers, number];
    const key = list.join(";");
    const longer = this.#ids.get(key) ?? this.#lists.push(list) - 1;
    this.#ids.set(key, longer);
    return this.#remember(id, digits, longer);
  }

  #remember(id: number, digits: string, longer: number): number {
    if (this.#stepCount >= MAX_STEPS) return longer;
    const steps = this.#steps[id] ?? new Map<string, number>();
    this.#steps[id] = steps.set(digits, longer);
    this.#stepCount += 1;
    return longer;
  }
}
