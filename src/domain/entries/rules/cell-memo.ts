import { copyText } from "../csv/copy-text.ts";
import type { CsvCell } from "../csv/csv-record.ts";

/** Small, because most files are small. */
const INITIAL_SLOTS = 1 << 8;
const MAX_SLOTS = 1 << 13;

/** The slot of a cell follows from its last units, because names and numbers differ there. */
const HASHED_UNITS = 8;

/**
 * Remembers the values of short cells, because files repeat their names and codes. It is an open-addressed table: a Map
 * would need a string of each cell. Its size is limited: it does not remember long cells, and a table that is half full
 * starts again with more slots, up to a limit.
 */
export class CellMemo<T> {
  #texts: (string | undefined)[] = [];
  #values: (T | undefined)[] = [];
  readonly #compute: (text: string) => T;
  readonly #maxLength: number;
  #size = 0;

  constructor(compute: (text: string) => T, maxLength: number) {
    this.#compute = compute;
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
