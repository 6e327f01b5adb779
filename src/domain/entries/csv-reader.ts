import { Buffer, isAscii } from "node:buffer";
import { type CsvRecord, type Units, unitsOf } from "./csv-record.ts";
import { FileFault } from "./file-fault.ts";
import { RecordSplitter } from "./record-splitter.ts";

const LF = 0x0a;
const BOM = "\uFEFF";

/** Bytes of one record without its line end (diligence-model §1). */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Called for each record, which is reused. `line` is the record's first physical line. */
type RecordSink = (record: CsvRecord, line: number) => void;

/**
 * RFC 4180 records from UTF-8 bytes that arrive in pieces of any size. Bytes are decoded up to the last line end of a
 * piece, so that no character is ever cut; the rest waits. Throws FileFault CSV_MALFORMED.
 */
export class CsvReader {
  readonly #sink: RecordSink;
  readonly #splitter: RecordSplitter;
  /** Bytes after the last line end seen so far. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** Decoded text of a record whose quoted cell is still open. */
  #open = "";
  #openBytes = 0;
  #line = 1;
  #started = false;

  constructor(sink: RecordSink) {
    this.#sink = sink;
    this.#splitter = new RecordSplitter();
  }

  push(bytes: Uint8Array): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = view.lastIndexOf(LF) + 1;
    if (end > 0) {
      this.#tail.push(view.subarray(0, end));
      this.#decode(this.#takeTail(), false);
    }
    if (end < view.length) {
      // A copy: the caller may fill the same buffer again.
      this.#tail.push(Buffer.from(view.subarray(end)));
      this.#tailBytes += view.length - end;
    }
    // One byte of grace: it may be the CR of a CRLF whose LF has not arrived.
    if (this.#openBytes + this.#tailBytes > MAX_RECORD_BYTES + 1) throw tooLong(this.#line);
  }

  end(): void {
    if (this.#tailBytes > 0 || this.#open !== "") this.#decode(this.#takeTail(), true);
  }

  #takeTail(): Buffer {
    const [only] = this.#tail;
    const bytes = this.#tail.length === 1 && only !== undefined ? only : Buffer.concat(this.#tail);
    this.#tail = [];
    this.#tailBytes = 0;
    return bytes;
  }

  #decode(bytes: Buffer, final: boolean): void {
    const ascii = isAscii(bytes);
    const decoded = bytes.toString(ascii ? "latin1" : "utf8");
    const text = this.#open + (this.#started || !decoded.startsWith(BOM) ? decoded : decoded.slice(1));
    this.#started = true;
    // Of ASCII the bytes are the units already.
    this.#read(text, ascii && this.#open === "" ? bytes : unitsOf(text), final);
  }

  #read(text: string, units: Units, final: boolean): void {
    const splitter = this.#splitter;
    splitter.start(text, units, final);
    let at = 0;
    while (at < text.length) {
      const next = splitter.split(at, this.#line);
      if (next === -1) break;
      checkLength(text, at, splitter.contentEnd, this.#line);
      this.#sink(splitter.record, this.#line);
      this.#line += splitter.lines;
      at = next;
    }
    this.#open = text.slice(at);
    this.#openBytes = Buffer.byteLength(this.#open);
  }
}

function checkLength(text: string, start: number, end: number, line: number): void {
  // A character takes three bytes at most (RFC 3629, per UTF-16 unit), so most records need no counting.
  if ((end - start) * 3 <= MAX_RECORD_BYTES) return;
  if (Buffer.byteLength(text.slice(start, end)) > MAX_RECORD_BYTES) throw tooLong(line);
}

function tooLong(line: number): FileFault {
  return new FileFault(
    "CSV_MALFORMED",
    line,
    `The record that starts on line ${line} is longer than 1 MiB. Look there for a quote that is never closed.`,
  );
}
