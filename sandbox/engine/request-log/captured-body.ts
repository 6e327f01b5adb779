import { Buffer } from "node:buffer";

/** Of one body. */
export const MAX_CAPTURED_BYTES = 64 * 1024;

/** The beginning of a body, and its size so far. */
export class CapturedBody {
  readonly #chunks: Uint8Array[] = [];
  size = 0;
  capturedBytes = 0;
  /** The text fields of a multipart form; null for any other body. */
  fields: readonly (readonly [string, string])[] | null = null;

  static sizeOnly(size: number): CapturedBody {
    return Object.assign(new CapturedBody(), { size });
  }

  get isWhole(): boolean {
    return this.capturedBytes === this.size;
  }

  /** Copies only a chunk that it cuts, so that a small part does not keep a large buffer alive. */
  append(chunk: Uint8Array | string): void {
    const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    const room = MAX_CAPTURED_BYTES - this.capturedBytes;
    this.size += length;
    if (room === 0 || length === 0) return;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk.slice(0, room)) : chunk;
    const head = bytes.length > room ? Uint8Array.prototype.slice.call(bytes, 0, room) : bytes;
    this.#chunks.push(head);
    this.capturedBytes += head.length;
  }

  /** Leaves out fields beyond the limit of a body. */
  setFields(fields: Iterable<readonly [name: string, values: readonly string[]]>): void {
    let room = MAX_CAPTURED_BYTES;
    const pairs = [...fields].flatMap(([name, values]) => values.map((value) => [name, value] as const));
    this.fields = pairs.filter(([name, value]) => {
      room -= name.length + value.length;
      return room >= 0;
    });
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
