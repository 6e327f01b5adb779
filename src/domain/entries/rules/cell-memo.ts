import { copyText } from "../csv/copy-text.ts";
import type { CsvCell } from "../csv/csv-record.ts";

const MAX_REMEMBERED_CELLS = 4_096;

/** Remembers the values of short cells, because files repeat their names and codes. */
export class CellMemo<T> {
  readonly #values = new Map<string, T>();
  readonly #compute: (text: string) => T;
  readonly #maxLength: number;

  constructor(compute: (text: string) => T, { maxLength }: { readonly maxLength: number }) {
    this.#compute = compute;
    this.#maxLength = maxLength;
  }

  get(cell: CsvCell): T {
    const text = cell.toString();
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = this.#compute(text);
    if (this.#values.size >= MAX_REMEMBERED_CELLS) this.#values.clear();
    if (text.length <= this.#maxLength) this.#values.set(copyText(text), value);
    return value;
  }
}
