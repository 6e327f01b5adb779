import type { Cell } from "./cell.ts";
import { ownText } from "./own-text.ts";

const SLOTS = 1 << 13;

/** Units at the end of a cell that decide on its slot: there names and numbers differ. */
const HASHED_UNITS = 12;

/**
 * Remembers what short cells mean, for files repeat their names and codes. An open-addressed table, because a Map would
 * want a string of every cell. Bounded whatever the file holds: long cells are worked out anew, a full table starts over.
 */
export class CellMemo<T> {
  readonly #texts: (string | undefined)[] = new Array(SLOTS).fill(undefined);
  readonly #values: (T | undefined)[] = new Array(SLOTS).fill(undefined);
  readonly #work: (text: string) => T;
  readonly #maxLength: number;
  #size = 0;

  constructor(work: (text: string) => T, maxLength: number) {
    this.#work = work;
    this.#maxLength = maxLength;
  }

  get(cell: Cell): T {
    let slot = hashOf(cell) & (SLOTS - 1);
    for (;;) {
      const text = this.#texts[slot];
      const value = this.#values[slot];
      if (text === undefined || value === undefined) return this.#learn(cell.toString(), slot);
      if (cell.equals(text)) return value;
      slot = (slot + 1) & (SLOTS - 1);
    }
  }

  #learn(text: string, slot: number): T {
    const value = this.#work(text);
    if (text.length > this.#maxLength) return value;
    if (this.#size * 2 >= SLOTS) this.#clear();
    this.#size += 1;
    this.#texts[slot] = ownText(text);
    this.#values[slot] = value;
    return value;
  }

  #clear(): void {
    this.#texts.fill(undefined);
    this.#values.fill(undefined);
    this.#size = 0;
  }
}

function hashOf(cell: Cell): number {
  const { units, end } = cell;
  let hash = cell.length;
  for (let at = Math.max(cell.start, end - HASHED_UNITS); at < end; at += 1) {
    hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
