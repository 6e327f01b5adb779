const QUOTE = 0x22;

/** The UTF-16 units of a text. Reading them is faster than `charCodeAt`. For ASCII texts, the bytes are the units. */
export type CodeUnits = Uint8Array | Uint16Array;

export function codeUnitsOf(text: string): CodeUnits {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** Returns -1 when a unit is not a digit. */
export function parseDigits(units: CodeUnits, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (units[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** One record as positions in a text, so that most cells need no string. It is reused for the next record. */
export class CsvRecord {
  text = "";
  units: CodeUnits = new Uint8Array();
  /** The number of cells. The arrays may contain more, from earlier records. */
  count = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** True for a quoted cell with doubled quotes. Its positions include all of them. */
  readonly escaped: boolean[] = [];
  lineCount = 0;
  /** Whether a quoted cell holds a line end. */
  isMultiLine = false;

  addCell(start: number, end: number, escaped: boolean): void {
    const index = this.count;
    this.starts[index] = start;
    this.ends[index] = end;
    this.escaped[index] = escaped;
    this.count = index + 1;
  }

  /** The content of a cell, "" after the last one. It is a slice of the whole text (see `copyText`). */
  cellText(index: number): string {
    if (index >= this.count) return "";
    const cell = this.text.slice(this.starts[index], this.ends[index]);
    return this.escaped[index] === true ? cell.replaceAll('""', '"') : cell;
  }

  isQuoted(index: number): boolean {
    return this.text.charCodeAt((this.starts[index] ?? 0) - 1) === QUOTE;
  }

  cellTexts(): string[] {
    return Array.from({ length: this.count }, (_, index) => this.cellText(index));
  }
}

/** The cell that is read, not blank, trimmed. Rules read its units, and make strings only of what they keep. Reused. */
export class CsvCell {
  /** Whether the file has it in the text form of spreadsheets. */
  isUnwrapped = false;
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
  setText(text: string, isUnwrapped: boolean): void {
    this.#text = text;
    this.isUnwrapped = isUnwrapped;
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
    // `startsWith` takes half as long again.
    return text.length === this.end - this.start && this.toString() === text;
  }
}
