import { FileFault } from "./file-fault.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Cuts records (RFC 4180) out of a text that ends with a line end, or with the file. The positions of the next quote,
 * comma and line end are kept between cells: each is searched for once, however the three are spread.
 */
export class RecordSplitter {
  /** The cells of the last record; the same array every time. */
  readonly cells: string[] = [];
  /** Physical lines of the last record. */
  lines = 0;
  /** Where the last record's content ends, before its line end. */
  contentEnd = 0;
  #text = "";
  #final = false;
  #quote = -1;
  #comma = -1;
  #lineEnd = -1;

  start(text: string, final: boolean): void {
    this.#text = text;
    this.#final = final;
    this.#quote = -1;
    this.#comma = -1;
    this.#lineEnd = -1;
  }

  /** Reads the record at `start`; answers where the next one starts, -1 when its end has not arrived. */
  split(start: number, line: number): number {
    const text = this.#text;
    if (this.#quote < start) this.#quote = find(text, '"', start);
    if (this.#lineEnd < start) this.#lineEnd = find(text, "\n", start);
    if (this.#quote < this.#lineEnd) return this.#splitQuoted(start, line);
    this.lines = 1;
    return this.#splitPlain(start);
  }

  #splitPlain(start: number): number {
    const text = this.#text;
    const cells = this.cells;
    const lineEnd = this.#lineEnd;
    let at = start;
    let count = 0;
    let comma = this.#comma < start ? find(text, ",", start) : this.#comma;
    while (comma < lineEnd) {
      cells[count] = text.slice(at, comma);
      count += 1;
      at = comma + 1;
      comma = find(text, ",", at);
    }
    this.#comma = comma;
    return this.#finish(at, count);
  }

  /** The last cell of a record when it is not quoted: up to the line end. */
  #finish(at: number, count: number): number {
    const lineEnd = this.#lineEnd;
    const end = lineEnd > at && this.#text.charCodeAt(lineEnd - 1) === CR ? lineEnd - 1 : lineEnd;
    this.cells[count] = this.#text.slice(at, end);
    this.cells.length = count + 1;
    this.contentEnd = end;
    return lineEnd + 1;
  }

  #splitQuoted(start: number, line: number): number {
    const text = this.#text;
    const cells = this.cells;
    let at = start;
    let count = 0;
    this.lines = 1;
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const close = this.#closingQuote(at);
        if (close === -1) return this.#unclosed(line);
        cells[count] = unquoted(text, at + 1, close);
        this.#countLines(at, close);
        at = close + 1;
        if (text.charCodeAt(at) !== COMMA) return this.#finishQuoted(at, count, line);
      } else {
        if (this.#comma < at) this.#comma = find(text, ",", at);
        if (this.#comma >= this.#lineEnd) return this.#finish(at, count);
        cells[count] = text.slice(at, this.#comma);
        at = this.#comma;
      }
      count += 1;
      at += 1;
    }
  }

  #closingQuote(open: number): number {
    const text = this.#text;
    let close = text.indexOf('"', open + 1);
    while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
    return close;
  }

  #countLines(from: number, to: number): void {
    while (this.#lineEnd < from) this.#lineEnd = find(this.#text, "\n", from);
    while (this.#lineEnd < to) {
      this.lines += 1;
      this.#lineEnd = find(this.#text, "\n", this.#lineEnd + 1);
    }
  }

  /** After a closing quote only a line end or the end of the file may stand. */
  #finishQuoted(at: number, count: number, line: number): number {
    const text = this.#text;
    const end = text.charCodeAt(at) === CR ? at + 1 : at;
    if (end < text.length && text.charCodeAt(end) !== LF) {
      throw new FileFault(
        "CSV_MALFORMED",
        line,
        `The record that starts on line ${line} has text after a closing quote. Write a quote inside a cell twice ("").`,
      );
    }
    this.cells.length = count + 1;
    this.contentEnd = at;
    return end + 1;
  }

  #unclosed(line: number): number {
    if (!this.#final) return -1;
    throw new FileFault(
      "CSV_MALFORMED",
      line,
      `The record that starts on line ${line} opens a quote that is never closed. Close it and submit the file again.`,
    );
  }
}

function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? text.length : at;
}

function unquoted(text: string, start: number, end: number): string {
  const cell = text.slice(start, end);
  return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
}
