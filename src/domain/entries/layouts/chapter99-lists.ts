import { formatChapter99 } from "../rules/tariff-number.ts";

/** Of one entry; an entry has a handful of them. */
const MAX_NUMBERS = 16;

/** So many steps from a list to a longer one are remembered. Files have some hundred. */
const MAX_STEPS = 10_000;

/** Gives lists of chapter 99 numbers small integers, as few different ones occur. 0 is the empty list. */
export class Chapter99Lists {
  readonly #lists: (readonly string[])[] = [[]];
  readonly #ids = new Map<string, number>();
  /** By id, then by the digits to add. */
  readonly #steps: Map<string, number>[] = [];
  #stepCount = 0;

  numbers(id: number): readonly string[] {
    return this.#lists[id] ?? [];
  }

  /** Returns the id of the list with these digits, or null when it is too long to have one. */
  add(id: number, digits: string): number | null {
    return this.#steps[id]?.get(digits) ?? this.#findLonger(id, digits);
  }

  #findLonger(id: number, digits: string): number | null {
    const numbers = this.numbers(id);
    const number = formatChapter99(digits);
    if (numbers.includes(number)) return this.#remember(id, digits, id);
    if (numbers.length === MAX_NUMBERS) return null;
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
