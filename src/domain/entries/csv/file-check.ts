import { Buffer, isUtf8 } from "node:buffer";
import { ByteCollector } from "../../byte-collector.ts";
import { EntryFileError } from "../entry-file-error.ts";
import { HEAD_BYTES, recognizeForeignFile, recognizeMarkup } from "./file-kind.ts";

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Checks a whole file before its rows are read (diligence-model §1): its encoding, then its line ends, then its kind. */
export class FileCheck {
  readonly #head = new ByteCollector();
  /** The line of the next bytes. */
  #line = 1;
  /** The beginning of a character whose end has not arrived. */
  #tail = Buffer.alloc(0);
  #isInQuotes = false;
  #hasCr = false;
  /** Decides against CR as line end, so that one line of most files is read. */
  #hasLf = false;

  /** @throws EntryFileError FILE_ENCODING for a UTF-16 mark, NUL, or bytes that are not UTF-8 */
  push(bytes: Uint8Array): void {
    if (this.#head.length < HEAD_BYTES) this.#head.append(bytes.subarray(0, HEAD_BYTES - this.#head.length));
    for (let at = 0; at < bytes.length && !this.#hasLf; at += 1) this.#findLineEnd(bytes[at] ?? 0);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const data = this.#tail.length === 0 ? view : Buffer.concat([this.#tail, view]);
    const end = data.length - countIncompleteBytes(data);
    const whole = data.subarray(0, end);
    if (whole.includes(0) || !isUtf8(whole)) throw this.#locateEncodingError(whole);
    this.#line += countLines(whole);
    this.#tail = Buffer.from(data.subarray(end));
  }

  /** @throws EntryFileError FILE_ENCODING, LINE_ENDS or NOT_A_TABLE */
  end(): void {
    if (this.#tail.length > 0) throw notUtf8Error(this.#line);
    const lineEnds =
      "The lines end with CR alone, as in files of old Macintosh programs. Save the file as CSV UTF-8, or replace each CR with a line feed.";
    if (this.#hasCr && !this.#hasLf) throw new EntryFileError("LINE_ENDS", 1, lineEnds);
    const kind = recognizeMarkup(this.#head.bytes().toString("utf8"));
    if (kind === null) return;
    const message = `The file is ${kind}, not a text table. Open it in a spreadsheet and save it as CSV UTF-8.`;
    throw new EntryFileError("NOT_A_TABLE", 1, message);
  }

  /** Outside quotes: a cell may hold line ends. A doubled quote opens and closes. */
  #findLineEnd(byte: number): void {
    if (byte === QUOTE) this.#isInQuotes = !this.#isInQuotes;
    if (this.#isInQuotes) return;
    if (byte === CR) this.#hasCr = true;
    if (byte === LF) this.#hasLf = true;
  }

  /** The first bad byte decides: otherwise the border between two pieces would. */
  #locateEncodingError(data: Buffer): EntryFileError {
    const head = this.#head.bytes();
    const wide = "The file is UTF-16 or UTF-32. Save it as CSV UTF-8 and submit it again.";
    if (UTF16_MARKS.includes(head.toString("hex", 0, 2))) return new EntryFileError("FILE_ENCODING", 1, wide);
    const kind = recognizeForeignFile(head);
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

/** No UTF-8 has one of these bytes. */
const UTF16_MARKS: readonly string[] = ["fffe", "feff"];

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
