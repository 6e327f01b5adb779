import { delimiterError, EntryFileError } from "../entry-file-error.ts";
import { type CodeUnits, CsvRecord } from "./csv-record.ts";

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Splits a text into records (RFC 4180). It remembers the positions of the next quote, delimiter and line end, so that it
 * searches for each only once. `indexOf` is fast from the first row on, but a loop over units only after its compilation.
 */
export class RecordSplitter {
  /** The last record, as the same object each time. */
  readonly record = new CsvRecord();
  /** The end of the last record, without its line end. */
  contentEnd = 0;
  readonly #delimiter: string;
  #text = "";
  #isFinal = false;
  #quote = -1;
  #nextDelimiter = -1;
  #lineEnd = -1;
  #carriageReturn = -1;

  /** @param delimiter one character */
  constructor(delimiter = ",") {
    this.#delimiter = delimiter;
  }

  start(text: string, units: CodeUnits, isFinal: boolean): void {
    this.record.text = text;
    this.record.units = units;
    this.#text = text;
    this.#isFinal = isFinal;
    this.#quote = -1;
    this.#nextDelimiter = -1;
    this.#lineEnd = -1;
    this.#carriageReturn = -1;
  }

  /** Reads the record at `start` and returns the start of the next one, or -1 when the end of the record is missing. */
  readRecord(start: number, line: number): number {
    const text = this.#text;
    this.record.count = 0;
    this.record.isMultiLine = false;
    this.record.lineCount = 1;
    if (this.#quote < start) this.#quote = indexOfOrEnd(text, '"', start);
    if (this.#lineEnd < start) this.#lineEnd = indexOfOrEnd(text, "\n", start);
    return this.#quote < this.#lineEnd ? this.#readWithQuotes(start, line) : this.#readPlain(start);
  }

  #readPlain(start: number): number {
    const text = this.#text;
    const record = this.record;
    const lineEnd = this.#lineEnd;
    const delimiter = this.#delimiter;
    let at = start;
    let next = this.#nextDelimiter < start ? indexOfOrEnd(text, delimiter, start) : this.#nextDelimiter;
    while (next < lineEnd) {
      record.addCell(at, next, false);
      at = next + 1;
      next = indexOfOrEnd(text, delimiter, at);
    }
    this.#nextDelimiter = next;
    return this.#addLastCell(at);
  }

  #addLastCell(at: number): number {
    const lineEnd = this.#lineEnd;
    const end = lineEnd > at && this.#text.charCodeAt(lineEnd - 1) === CR ? lineEnd - 1 : lineEnd;
    this.record.addCell(at, end, false);
    this.contentEnd = end;
    return lineEnd + 1;
  }

  #readWithQuotes(start: number, line: number): number {
    const text = this.#text;
    let at = start;
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const close = this.#readQuotedCell(at);
        if (close === -1) return this.#handleUnclosedQuote(line);
        at = close + 1;
        if (text[at] !== this.#delimiter) return this.#endAfterQuote(at, line);
      } else {
        if (this.#nextDelimiter < at) this.#nextDelimiter = indexOfOrEnd(text, this.#delimiter, at);
        if (this.#nextDelimiter >= this.#lineEnd) return this.#addLastCell(at);
        this.record.addCell(at, this.#nextDelimiter, false);
        at = this.#nextDelimiter;
      }
      at += 1;
    }
  }

  /** Reads the cell with this opening quote and returns the position of its closing quote, or -1 when that is missing. */
  #readQuotedCell(open: number): number {
    const text = this.#text;
    let escaped = false;
    let close = text.indexOf('"', open + 1);
    while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) {
      escaped = true;
      close = text.indexOf('"', close + 2);
    }
    if (close === -1) return -1;
    this.record.addCell(open + 1, close, escaped);
    this.#countLines(open, close);
    if (this.#carriageReturn < open) this.#carriageReturn = indexOfOrEnd(text, "\r", open);
    if (this.record.lineCount > 1 || this.#carriageReturn < close) this.record.isMultiLine = true;
    return close;
  }

  #countLines(from: number, to: number): void {
    while (this.#lineEnd < from) this.#lineEnd = indexOfOrEnd(this.#text, "\n", from);
    while (this.#lineEnd < to) {
      this.record.lineCount += 1;
      this.#lineEnd = indexOfOrEnd(this.#text, "\n", this.#lineEnd + 1);
    }
  }

  /** Only a line end or the end of the file may follow the closing quote. */
  #endAfterQuote(at: number, line: number): number {
    const text = this.#text;
    const end = text.charCodeAt(at) === CR ? at + 1 : at;
    if (end < text.length && text.charCodeAt(end) !== LF) {
      const mark = text[at] ?? "";
      // A heading in quotes, in a file with another delimiter.
      if (line === 1 && /[;\t|]/.test(mark)) throw delimiterError(mark);
      const message = `The record that starts on line ${line} has text after a closing quote. Write a quote inside a cell twice ("").`;
      throw new EntryFileError("CSV_MALFORMED", line, message);
    }
    this.contentEnd = at;
    return end + 1;
  }

  #handleUnclosedQuote(line: number): number {
    if (!this.#isFinal) return -1;
    const message = `The record that starts on line ${line} has a quote that is not closed. Close it and submit the file again.`;
    throw new EntryFileError("CSV_MALFORMED", line, message);
  }
}

function indexOfOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}
