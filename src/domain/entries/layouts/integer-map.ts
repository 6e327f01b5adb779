const EMPTY = -1;
const INITIAL_CAPACITY = 1024;

/**
 * A map from whole numbers below 2^53 to 32-bit integers: lines, indexes, hashes or bits. Open addressing: a million keys take
 * 24 MiB, a fourth of a Map.
 */
export class IntegerMap {
  #keys = new Float64Array(INITIAL_CAPACITY).fill(EMPTY);
  #values = new Int32Array(INITIAL_CAPACITY);
  #size = 0;

  /** Sets the value of a new key and returns null. Keeps and returns that of a key that is there. */
  insertIfAbsent(key: number, value: number): number | null {
    if (this.#size * 2 >= this.#keys.length) this.#grow();
    const slot = findSlot(this.#keys, key);
    if (this.#keys[slot] === key) return this.#values[slot] ?? null;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#size += 1;
    return null;
  }

  /** Adds the bits to those of the key, and returns what it had. */
  addBits(key: number, bits: number): number {
    const before = this.insertIfAbsent(key, bits);
    if (before === null) return 0;
    this.#values[findSlot(this.#keys, key)] = before | bits;
    return before;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2).fill(EMPTY);
    const values = new Int32Array(keys.length);
    for (let at = 0; at < this.#keys.length; at += 1) {
      const key = this.#keys[at] ?? EMPTY;
      if (key === EMPTY) continue;
      const slot = findSlot(keys, key);
      keys[slot] = key;
      values[slot] = this.#values[at] ?? 0;
    }
    this.#keys = keys;
    this.#values = values;
  }
}

/** The slot of the key, or the empty one where it belongs. */
function findSlot(keys: Float64Array, key: number): number {
  const mask = keys.length - 1;
  // Filers key their entries in sequence, so eight neighbours share a cache line. The hash scatters the lines.
  const line = Math.floor(key / 8);
  const hash = Math.imul(line | 0, 0x9e3779b1) ^ Math.imul(Math.floor(line / 0x100000000), 0x85ebca6b);
  let at = (((hash ^ (hash >>> 15)) << 3) | (key - line * 8)) & mask;
  while (keys[at] !== key && keys[at] !== EMPTY) at = (at + 1) & mask;
  return at;
}
