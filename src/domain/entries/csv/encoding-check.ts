import { Buffer, isUtf8 } from "node:buffer";
import { EntryFileError } from "../entry-file-error.ts";
import { recognizeForeignFile } from "./file-kind.ts";

const LF = 0x0a;

/** Enough to recognize the formats of other files. */
const HEAD_BYTES = 512;

/** Checks a whole file (diligence-model §1). Throws FILE_ENCODING for a UTF-16 mark, NUL, or bytes that are not UTF-8. */
export class EncodingCheck {
  #line = 1;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    this.#readHead(bytes);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const data = this.#tail.length === 0 ? view : Buffer.concat([this.#tail, view]);
    const end = data.length - countIncompleteBytes(data);
    const whole = data.subarray(0, end);
    if (whole.includes(0) || !isUtf8(whole)) throw this.#locateError(whole);
    this.#line += countLines(whole);
    this.#tail = Buffer.from(data.subarray(end));
  }

  end(): void {
    if (this.#tail.length > 0) throw notUtf8Error(this.#line);
  }

  #readHead(bytes: Uint8Array): void {
    if (this.#head.length >= HEAD_BYTES) return;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, HEAD_BYTES - this.#head.length)]);
    if (this.#head.length < 2) return;
    const mark = this.#head.readUInt16BE(0);
    const message = "The file is UTF-16 or UTF-32. Save it as CSV UTF-8 and submit it again.";
    if (mark === 0xfffe || mark === 0xfeff) throw new EntryFileError("FILE_ENCODING", 1, message);
  }

  /** The first bad byte decides: otherwise the border between two pieces would. */
  #locateError(data: Buffer): EntryFileError {
    const kind = recognizeForeignFile(this.#head);
    const message = `The file is ${kind}, not a text table. Save it as CSV UTF-8.`;
    if (kind !== null) return new EntryFileError("FILE_ENCODING", 1, message);
    const nulAt = data.indexOf(0);
    const text = nulAt === -1 ? data : data.subarray(0, nulAt);
    let start = 0;
    for (;;) {
      const lineEnd = text.indexOf(LF, start);
      const line = text.subarray(start, lineEnd === -1 ? text.length : lineEnd + 1);
      if (!isUtf8(line)) return notUtf8Error(this.#line);
      if (lineEnd === -1) return encodingError(this.#line, "a NUL byte, so it is binary, UTF-16 or UTF-32");
      this.#line += 1;
      start = lineEnd + 1;
    }
  }
}

function countLines(data: Buffer): number {
  let count = 0;
  for (let at = data.indexOf(LF); at !== -1; at = data.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** The number of bytes at the end that begin an incomplete character (RFC 3629). */
function countIncompleteBytes(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back += 1) {
    const byte = data[data.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

function encodingError(line: number, what: string): EntryFileError {
  const message = `Line ${line} contains ${what}. Save the file as CSV UTF-8 and submit it again.`;
  return new EntryFileError("FILE_ENCODING", line, message);
}

const notUtf8Error = (line: number): EntryFileError => encodingError(line, "bytes that are not UTF-8");
