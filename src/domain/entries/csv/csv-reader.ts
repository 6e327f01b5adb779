import { Buffer, isAscii } from "node:buffer";
import { EntryFileError } from "../entry-file-error.ts";
import { type CodeUnits, type CsvRecord, codeUnitsOf } from "./csv-record.ts";
import { RecordSplitter } from "./record-splitter.ts";

const LF = 0x0a;
const BOM = "\uFEFF";

/** Bytes of one record without its line end (diligence-model §1). */
const MAX_RECORD_BYTES = 1024 * 1024;

/** `line` is the first physical line of the record. The record is reused after the call. */
type OnRecord = (record: CsvRecord, line: number) => void;

/**
 * Reads RFC 4180 records from UTF-8 bytes in pieces of any size. It decodes up to the last line end of a piece, so that it
 * never cuts a character. Throws EntryFileError CSV_MALFORMED.
 */
export class CsvReader {
  readonly #onRecord: OnRecord;
  readonly #splitter: RecordSplitter;
  /** The bytes after the last line end. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** The decoded text of a record with an open quote. */
  #openRecord = "";
  #openRecordBytes = 0;
  #line = 1;
  #hasStarted = false;

  constructor(onRecord: OnRecord, delimiter = ",") {
    this.#onRecord = onRecord;
    this.#splitter = new RecordSplitter(delimiter);
  }

  push(bytes: Uint8Array): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = view.lastIndexOf(LF) + 1;
    if (end > 0) {
      this.#tail.push(view.subarray(0, end));
      this.#decode(this.#takeTail(), false);
    }
    if (end < view.length) {
      // A copy, because the caller may reuse the buffer.
      this.#tail.push(Buffer.from(view.subarray(end)));
      this.#tailBytes += view.length - end;
    }
    // One byte more, which may be the CR of a CRLF whose LF has not arrived.
    if (this.#openRecordBytes + this.#tailBytes > MAX_RECORD_BYTES + 1) throw recordTooLong(this.#line);
  }

  end(): void {
    if (this.#tailBytes > 0 || this.#openRecord !== "") this.#decode(this.#takeTail(), true);
  }

  #takeTail(): Buffer {
    const [only] = this.#tail;
    const bytes = this.#tail.length === 1 && only !== undefined ? only : Buffer.concat(this.#tail);
    this.#tail = [];
    this.#tailBytes = 0;
    return bytes;
  }

  #decode(bytes: Buffer, isFinal: boolean): void {
    const isAsciiOnly = isAscii(bytes);
    const decoded = bytes.toString(isAsciiOnly ? "latin1" : "utf8");
    const text =
      this.#openRecord + (this.#hasStarted || !decoded.startsWith(BOM) ? decoded : decoded.slice(1));
    this.#hasStarted = true;
    this.#readRecords(text, isAsciiOnly && this.#openRecord === "" ? bytes : codeUnitsOf(text), isFinal);
  }

  #readRecords(text: string, units: CodeUnits, isFinal: boolean): void {
    const splitter = this.#splitter;
    splitter.start(text, units, isFinal);
    let at = 0;
    while (at < text.length) {
      const next = splitter.readRecord(at, this.#line);
      if (next === -1) break;
      checkRecordLength(text, at, splitter.contentEnd, this.#line);
      this.#onRecord(splitter.record, this.#line);
      this.#line += splitter.lineCount;
      at = next;
    }
    this.#openRecord = text.slice(at);
    this.#openRecordBytes = Buffer.byteLength(this.#openRecord);
  }
}

function checkRecordLength(text: string, start: number, end: number, line: number): void {
  // A UTF-16 unit has three bytes at most (RFC 3629), so most records need no count.
  if ((end - start) * 3 <= MAX_RECORD_BYTES) return;
  if (Buffer.byteLength(text.slice(start, end)) > MAX_RECORD_BYTES) throw recordTooLong(line);
}

const recordTooLong = (line: number): EntryFileError =>
  new EntryFileError(
    "CSV_MALFORMED",
    line,
    `The record that starts on line ${line} is longer than 1 MiB. Look there for a quote that is not closed.`,
  );
