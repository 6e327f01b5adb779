/** UTF-16 units of a text. Reading one costs a fraction of `charCodeAt`; bytes serve where the text is ASCII. */
export type CodeUnits = Uint8Array | Uint16Array;

/** A text's units in memory of their own. */
export function codeUnitsOf(text: string): CodeUnits {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** One record of a file as positions in its text: of most cells no string is ever made. Reused, so nothing may keep it. */
export class CsvRecord {
  text = "";
  /** Of `text`, unit by unit. */
  units: CodeUnits = new Uint8Array();
  /** How many cells the record has; what lies behind in the arrays is left from earlier ones. */
  count = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** The cell is quoted and has doubled quotes: its positions hold it as it is written in the file. */
  readonly escaped: boolean[] = [];

  addCell(start: number, end: number, escaped: boolean): void {
    const index = this.count;
    this.starts[index] = start;
    this.ends[index] = end;
    this.escaped[index] = escaped;
    this.count = index + 1;
  }

  /** What the cell says; "" beyond the last one. A slice: it keeps the whole text alive (`ownText`). */
  cellText(index: number): string {
    if (index >= this.count) return "";
    const cell = this.text.slice(this.starts[index], this.ends[index]);
    return this.escaped[index] === true ? cell.replaceAll('""', '"') : cell;
  }

  cellTexts(): string[] {
    return Array.from({ length: this.count }, (_, index) => this.cellText(index));
  }
}
