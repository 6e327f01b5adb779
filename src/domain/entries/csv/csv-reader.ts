import { Buffer, isAscii } from "node:buffer";
import { ByteCollector } from "../../byte-collector.ts";
import { EntryFileError } from "../entry-file-error.ts";
import { type CodeUnits, type CsvRecord, codeUnitsOf } from "./csv-record.ts";
import { RecordSplitter } from "./record-splitter.ts";

const LF = 0x0a;
const BOM = "\uFEFF";

/** Bytes of one record without its line end (diligence-model §1). */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Reading so much again takes no longer than what each piece takes. */
const MAX_REREAD_BYTES = 2 * 1024;

/** `line` is the first physical line of the record. The record is reused after the call. */
type OnRecord = (record: CsvRecord, line: number) => void;

/** Reads RFC 4180 records from UTF-8 in pieces, without cutting a character. Throws EntryFileError CSV_MALFORMED. */
export class CsvReader {
  readonly #onRecord: OnRecord;
  readonly #splitter: RecordSplitter;
  /** The bytes that are not decoded yet. */
  readonly #tail = new ByteCollector();
  /** The position in them after their last line end. */
  #tailLineEnd = 0;
  #openRecord = "";
  #openRecordBytes = 0;
  #hasStarted = false;
  /** The line in which the next record begins. */
  line = 1;
  /** Whether the bytes so far end with LF. */
  endsWithLineFeed = false;

  constructor(onRecord: OnRecord, delimiter = ",") {
    this.#onRecord = onRecord;
    this.#splitter = new RecordSplitter(delimiter);
  }

  push(bytes: Uint8Array): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lineEnd = view.lastIndexOf(LF) + 1;
    if (view.length > 0) this.endsWithLineFeed = lineEnd === view.length;
    if (lineEnd > 0 && this.#tail.length === 0 && this.#openRecord === "") {
      this.#decode(view.subarray(0, lineEnd), false);
      this.#tail.append(view.subarray(lineEnd));
    } else {
      if (lineEnd > 0) this.#tailLineEnd = this.#tail.length + lineEnd;
      this.#tail.append(view);
      if (this.#tailLineEnd > 0 && this.#shouldReadOn()) this.#decodeTail();
    }
    if (this.#isTooLong()) throw recordTooLong(this.line);
  }

  end(): void {
    if (this.#tail.length > 0 || this.#openRecord !== "") this.#decode(this.#tail.bytes(), true);
    this.#tail.clear();
  }

  /** Each try reads an open record from its start, so a long one is tried again only when it has grown as much. */
  #shouldReadOn(): boolean {
    const needed = this.#openRecordBytes > MAX_REREAD_BYTES ? this.#openRecordBytes : 0;
    return this.#tail.length >= needed || this.#isTooLong();
  }

  /** One byte more, which may be the CR of a CRLF whose LF has not arrived. */
  #isTooLong(): boolean {
    return this.#openRecordBytes + this.#tail.length > MAX_RECORD_BYTES + 1;
  }

  #decodeTail(): void {
    const bytes = this.#tail.bytes();
    const end = this.#tailLineEnd;
    this.#tailLineEnd = 0;
    this.#tail.clear();
    this.#tail.append(bytes.subarray(end));
    this.#decode(bytes.subarray(0, end), false);
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
      const next = splitter.readRecord(at, this.line);
      if (next === -1) break;
      checkRecordLength(text, at, splitter.contentEnd, this.line);
      this.#onRecord(splitter.record, this.line);
      this.line += splitter.record.lineCount;
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

function recordTooLong(line: number): EntryFileError {
  const message = `The record that starts on line ${line} is longer than 1 MiB. Look there for a quote that is not closed.`;
  return new EntryFileError("CSV_MALFORMED", line, message);
}
