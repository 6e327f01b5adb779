import { CsvRecord, type Units } from "./csv-record.ts";
import { FileFault } from "./file-fault.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

/** Cuts records (RFC 4180) out of a text that ends with a line end, or with the file. */
export class RecordSplitter {
  /** The last record; the same object every time. */
  readonly record = new CsvRecord();
  /** Physical lines of the last record. */
  lines = 0;
  /** Where the last record's content ends, before its line end. */
  contentEnd = 0;
  #units: Units = new Uint8Array();
  #final = false;

  start(text: string, units: Units, final: boolean): void {
    this.record.text = text;
    this.record.units = units;
    this.#units = units;
    this.#final = final;
  }

  /** Reads the record at `start`; answers where the next one starts, -1 when its end has not arrived. */
  split(start: number, line: number): number {
    const units = this.#units;
    const record = this.record;
    record.count = 0;
    this.lines = 1;
    let at = start;
    for (;;) {
      if (units[at] === QUOTE) {
        const close = this.#readQuoted(at + 1);
        if (close === -1) return this.#unclosed(line);
        at = close + 1;
        if (units[at] !== COMMA) return this.#finishQuoted(at, line);
      } else {
        const end = endOfPlainCell(units, at);
        if (units[end] !== COMMA) return this.#finish(at, end);
        record.add(at, end, false);
        at = end;
      }
      at += 1;
    }
  }

  /** The last cell of a record when it is not quoted: up to the line end. */
  #finish(at: number, lineEnd: number): number {
    const end = lineEnd > at && this.#units[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    this.record.add(at, end, false);
    this.contentEnd = end;
    return lineEnd + 1;
  }

  /** Reads the cell after an opening quote; answers where its closing quote stands, -1 when it has none. */
  #readQuoted(start: number): number {
    const units = this.#units;
    let escaped = false;
    for (let at = start; at < units.length; at += 1) {
      const unit = units[at];
      if (unit === LF) this.lines += 1;
      if (unit !== QUOTE) continue;
      if (units[at + 1] !== QUOTE) {
        this.record.add(start, at, escaped);
        return at;
      }
      escaped = true;
      at += 1;
    }
    return -1;
  }

  /** After a closing quote only a line end or the end of the file may stand. */
  #finishQuoted(at: number, line: number): number {
    const units = this.#units;
    const end = units[at] === CR ? at + 1 : at;
    if (end < units.length && units[end] !== LF) {
      throw new FileFault(
        "CSV_MALFORMED",
        line,
        `The record that starts on line ${line} has text after a closing quote. Write a quote inside a cell twice ("").`,
      );
    }
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

/** Where the next comma or line end stands, or the text ends. */
function endOfPlainCell(units: Units, start: number): number {
  const length = units.length;
  let at = start;
  for (; at < length; at += 1) {
    // Nearly all units lie above a comma, so one comparison settles them.
    const unit = units[at] ?? 0;
    if (unit <= COMMA && (unit === COMMA || unit === LF)) break;
  }
  return at;
}
