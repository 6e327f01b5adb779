import { Buffer } from "node:buffer";

/** Joins the pieces of a body by copying: a body may arrive one byte at a time, in pieces of some hundred bytes of memory. */
export class ByteCollector {
  #buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.bytes());
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }

  /** Forgets the bytes. Those that were read stay as they are. */
  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
