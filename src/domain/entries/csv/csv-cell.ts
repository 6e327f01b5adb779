import type { CodeUnits, CsvRecord } from "./csv-record.ts";

/**
 * The cell that is being read: a stretch of a text, not blank, without white space around it. Rules look at its units and
 * make a string only of what they keep. Reused from cell to cell.
 */
export class CsvCell {
  /** Trimming or unwrapping altered what stands in the file. */
  isRewritten = false;
  units: CodeUnits = new Uint8Array();
  start = 0;
  end = 0;
  #text = "";

  /** To be followed by the cell's place in the record. */
  setRecord(record: CsvRecord): void {
    this.#text = record.text;
    this.units = record.units;
  }

  /** A text that stands nowhere in the record as such. */
  setText(text: string, changed: boolean): void {
    this.#text = text;
    this.isRewritten = changed;
    if (this.units.length < text.length) this.units = new Uint16Array(text.length * 2);
    for (let at = 0; at < text.length; at += 1) this.units[at] = text.charCodeAt(at);
    this.start = 0;
    this.end = text.length;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** The unit at an index of the cell, which must be below its length. */
  unitAt(index: number): number {
    return this.units[this.start + index] ?? 0;
  }

  /** Units from…to of the cell as a text: a slice, like the whole cell. */
  slice(from: number, to: number): string {
    return this.#text.slice(this.start + from, this.start + to);
  }

  /** A slice: it keeps the whole text alive (`ownText`). */
  toString(): string {
    return this.#text.slice(this.start, this.end);
  }

  /** True when the cell says `text`. */
  equals(text: string): boolean {
    return text.length === this.end - this.start && this.#text.startsWith(text, this.start);
  }
}
