import type { CodeUnits, CsvRecord } from "./csv-record.ts";

/**
 * The cell that is being read: part of a text, not blank, trimmed. Rules read its units and make strings only of what they
 * keep. It is reused for the next cell.
 */
export class CsvCell {
  /** True when trimming or unwrapping changed the cell of the file. */
  isRewritten = false;
  units: CodeUnits = new Uint8Array();
  start = 0;
  end = 0;
  #text = "";

  /** Selects the record. Set `start` and `end` afterwards. */
  setRecord(record: CsvRecord): void {
    this.#text = record.text;
    this.units = record.units;
  }

  /** Selects a text that is not part of a record. */
  setText(text: string, isRewritten: boolean): void {
    this.#text = text;
    this.isRewritten = isRewritten;
    if (this.units.length < text.length) this.units = new Uint16Array(text.length * 2);
    for (let at = 0; at < text.length; at += 1) this.units[at] = text.charCodeAt(at);
    this.start = 0;
    this.end = text.length;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** `index` must be less than `length`. */
  unitAt(index: number): number {
    return this.units[this.start + index] ?? 0;
  }

  slice(from: number, to: number): string {
    return this.#text.slice(this.start + from, this.start + to);
  }

  /** A slice of the whole text (see `copyText`). */
  toString(): string {
    return this.#text.slice(this.start, this.end);
  }

  equals(text: string): boolean {
    return text.length === this.end - this.start && this.#text.startsWith(text, this.start);
  }
}
