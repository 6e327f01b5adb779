import { Buffer } from "node:buffer";

/** Bytes of a body that are kept. */
export const MAX_CAPTURED_BYTES = 64 * 1024;

/** The beginning of a body on its way, and how long it is. */
export class CapturedBody {
  readonly #chunks: Uint8Array[] = [];
  #capturedBytes = 0;
  #size = 0;
  #fields: readonly (readonly [string, string])[] | null = null;

  /** One of which nothing is kept any more. */
  static sizeOnly(size: number): CapturedBody {
    const head = new CapturedBody();
    head.#size = size;
    return head;
  }

  /** Bytes that came. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that it holds. */
  get capturedBytes(): number {
    return this.#capturedBytes;
  }

  get isWhole(): boolean {
    return this.#capturedBytes === this.#size;
  }

  /** The fields of a form, where somebody has read them. */
  get fields(): readonly (readonly [string, string])[] | null {
    return this.#fields;
  }

  /** Nothing is copied but what is cut: a small part must not hold on to a large one. */
  append(chunk: Uint8Array | string): void {
    const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    const room = MAX_CAPTURED_BYTES - this.#capturedBytes;
    this.#size += length;
    if (room === 0 || length === 0) return;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk.slice(0, room)) : chunk;
    const head = bytes.length > room ? Uint8Array.prototype.slice.call(bytes, 0, room) : bytes;
    this.#chunks.push(head);
    this.#capturedBytes += head.length;
  }

  /** What does not fit into the bound of a body is left out. */
  setFields(fields: Iterable<readonly [name: string, values: readonly string[]]>): void {
    let room = MAX_CAPTURED_BYTES;
    const pairs = [...fields].flatMap(([name, values]) => values.map((value) => [name, value] as const));
    this.#fields = pairs.filter(([name, value]) => {
      room -= name.length + value.length;
      return room >= 0;
    });
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
