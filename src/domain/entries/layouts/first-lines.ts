const EMPTY = -1;
const INITIAL_CAPACITY = 1024;

/** The first line, or bits, of each whole number below 2^53 (open addressing): 24 MiB for a million, a fourth of a Map. */
export class FirstLines {
  #numbers = new Float64Array(INITIAL_CAPACITY).fill(EMPTY);
  #lines = new Int32Array(INITIAL_CAPACITY);
  #size = 0;

  /** Returns the first line of the number, or null when it is new. */
  add(number: number, line: number): number | null {
    if (this.#size * 2 >= this.#numbers.length) this.#grow();
    const slot = findSlot(this.#numbers, number);
    if (this.#numbers[slot] === number) return this.#lines[slot] ?? null;
    this.#numbers[slot] = number;
    this.#lines[slot] = line;
    this.#size += 1;
    return null;
  }

  /** Adds the bits to those of the number, and returns what it had. */
  addBits(number: number, bits: number): number {
    const before = this.add(number, bits);
    if (before === null) return 0;
    this.#lines[findSlot(this.#numbers, number)] = before | bits;
    return before;
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2).fill(EMPTY);
    const lines = new Int32Array(numbers.length);
    for (let at = 0; at < this.#numbers.length; at += 1) {
      const number = this.#numbers[at] ?? EMPTY;
      if (number === EMPTY) continue;
      const slot = findSlot(numbers, number);
      numbers[slot] = number;
      lines[slot] = this.#lines[at] ?? 0;
    }
    this.#numbers = numbers;
    this.#lines = lines;
  }
}

/** The slot of the number, or the empty one where it belongs. */
function findSlot(slots: Float64Array, number: number): number {
  const mask = slots.length - 1;
  // Filers number their entries in sequence, so eight neighbours share a cache line. The hash scatters the lines.
  const line = Math.floor(number / 8);
  const hash = Math.imul(line | 0, 0x9e3779b1) ^ Math.imul(Math.floor(line / 0x100000000), 0x85ebca6b);
  let at = (((hash ^ (hash >>> 15)) << 3) | (number - line * 8)) & mask;
  while (slots[at] !== number && slots[at] !== EMPTY) at = (at + 1) & mask;
  return at;
}
