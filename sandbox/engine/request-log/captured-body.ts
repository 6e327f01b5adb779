import { Buffer } from "node:buffer";
import { ByteCollector } from "../../../src/domain/byte-collector.ts";

/** The limit for one body; the log has another for all of them. */
export const MAX_CAPTURED_BYTES = 64 * 1024;

export class CapturedBody {
  readonly #captured = new ByteCollector();
  size = 0;
  /** The text fields of a multipart form; null for any other body. */
  fields: readonly (readonly [string, string])[] | null = null;

  static sizeOnly(size: number): CapturedBody {
    return Object.assign(new CapturedBody(), { size });
  }

  static fromText(text: string): CapturedBody {
    const body = new CapturedBody();
    body.append(text);
    return body;
  }

  get capturedBytes(): number {
    return this.#captured.length;
  }

  append(chunk: Uint8Array | string): void {
    const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    const room = MAX_CAPTURED_BYTES - this.capturedBytes;
    this.size += length;
    if (room === 0 || length === 0) return;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk.slice(0, room)) : chunk;
    this.#captured.append(bytes.subarray(0, room));
  }

  setFields(fields: Iterable<readonly [name: string, values: readonly string[]]>): void {
    let room = MAX_CAPTURED_BYTES;
    const pairs = [...fields].flatMap(([name, values]) => values.map((value) => [name, value] as const));
    this.fields = pairs.filter(([name, value]) => {
      room -= name.length + value.length;
      return room >= 0;
    });
  }

  bytes(): Buffer {
    return this.#captured.bytes();
  }
}
