/** The UTF-16 units of a text. Reading them is faster than `charCodeAt`. For ASCII texts, the bytes are the units. */
export type CodeUnits = Uint8Array | Uint16Array;

export function codeUnitsOf(text: string): CodeUnits {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** One record as positions in a text, so that most cells need no string. It is reused for the next record. */
export class CsvRecord {
  text = "";
  /** The units of `text`. */
  units: CodeUnits = new Uint8Array();
  /** The number of cells. The arrays may contain more, from earlier records. */
  count = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** True for a quoted cell with doubled quotes. Its positions include all of them. */
  readonly escaped: boolean[] = [];

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

  cellTexts(): string[] {
    return Array.from({ length: this.count }, (_, index) => this.cellText(index));
  }
}
