import { copyText } from "../csv/copy-text.ts";
import type { CsvCell } from "../csv/csv-cell.ts";

/** A small file pays for a small table. */
const INITIAL_SLOTS = 1 << 8;
const MAX_SLOTS = 1 << 13;

/** Units at the end of a cell that decide on its slot: there names and numbers differ. */
const HASHED_UNITS = 8;

/**
 * Remembers what short cells mean, for files repeat their names and codes. An open-addressed table, because a Map would
 * want a string of every cell. Bounded whatever the file holds: long cells are worked out anew, and a table that is
 * half full starts over, with more slots up to a limit.
 */
export class CellMemo<T> {
  #texts: (string | undefined)[] = [];
  #values: (T | undefined)[] = [];
  readonly #compute: (text: string) => T;
  readonly #maxLength: number;
  #size = 0;

  constructor(work: (text: string) => T, maxLength: number) {
    this.#compute = work;
    this.#maxLength = maxLength;
    this.#reset(INITIAL_SLOTS);
  }

  get(cell: CsvCell): T {
    const mask = this.#texts.length - 1;
    let slot = hashCell(cell) & mask;
    for (;;) {
      const text = this.#texts[slot];
      const value = this.#values[slot];
      if (text === undefined || value === undefined) return this.#computeAndStore(cell.toString(), slot);
      if (cell.equals(text)) return value;
      slot = (slot + 1) & mask;
    }
  }

  #computeAndStore(text: string, slot: number): T {
    const value = this.#compute(text);
    if (text.length > this.#maxLength) return value;
    this.#texts[slot] = copyText(text);
    this.#values[slot] = value;
    this.#size += 1;
    const slots = this.#texts.length;
    if (this.#size * 2 > slots) this.#reset(Math.min(slots * 4, MAX_SLOTS));
    return value;
  }

  #reset(slots: number): void {
    this.#texts = new Array(slots).fill(undefined);
    this.#values = new Array(slots).fill(undefined);
    this.#size = 0;
  }
}

function hashCell(cell: CsvCell): number {
  const { units, end } = cell;
  let hash = cell.length;
  for (let at = Math.max(cell.start, end - HASHED_UNITS); at < end; at += 1) {
    hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
