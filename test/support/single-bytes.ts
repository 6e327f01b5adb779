import { Buffer } from "node:buffer";

/** Yields a text byte by byte, each in the same buffer: a reader that keeps pieces has only the last byte. */
export async function* singleBytes(text: string): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(1);
  for (const byte of Buffer.from(text)) {
    piece[0] = byte;
    yield piece;
  }
}
