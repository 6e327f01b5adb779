import type { CsvRecord } from "../csv/csv-record.ts";
import type { Row } from "../rules/row.ts";
import { FirstLines } from "./first-lines.ts";

/** Larger line numbers and ordinals are compared as texts. With a million groups, the packed numbers stay below 2^53. */
const MAX_PACKED_LINE = 0x1_ffff;
const MAX_PACKED_ORDINAL = 0xffff;

/** Recognizes rows of an entry that came before (diligence-model §1, "es003 grouping"). It keeps a number for each row. */
export class Repetitions {
  /** Rows that lack line number or ordinal, and equal an earlier one. */
  repeatedRows = 0;
  readonly #tariffLines = new FirstLines();
  readonly #unusualTariffLines = new Map<string, number>();
  readonly #rows = new FirstLines();

  /** Returns the line on which the entry had the same line number and ordinal first, or null. */
  find(group: number, { entryLine, line, tariffOrdinal }: Row, record: CsvRecord): number | null {
    if (entryLine === null || tariffOrdinal === null) {
      if (this.#rows.add(hashRow(group, record), line) !== null) this.repeatedRows += 1;
      return null;
    }
    const isPacked =
      typeof entryLine === "number" &&
      typeof tariffOrdinal === "number" &&
      entryLine <= MAX_PACKED_LINE &&
      tariffOrdinal <= MAX_PACKED_ORDINAL;
    if (isPacked) {
      const number = (group * (MAX_PACKED_LINE + 1) + entryLine) * (MAX_PACKED_ORDINAL + 1) + tariffOrdinal;
      return this.#tariffLines.add(number, line);
    }
    const key = JSON.stringify([group, entryLine, tariffOrdinal]);
    const first = this.#unusualTariffLines.get(key);
    if (first === undefined) this.#unusualTariffLines.set(key, line);
    return first ?? null;
  }
}

const isBlank = (unit: number | undefined): boolean => unit === undefined || unit <= 0x20;

/** 53 bits of the group and the trimmed cells (two FNV-1a hashes). It decides a warning only. */
function hashRow(group: number, { count, ends, starts, units }: CsvRecord): number {
  let one = 0x811c9dc5 ^ group;
  let other = 0xcbf29ce4 ^ group;
  for (let index = 0; index < count; index += 1) {
    let start = starts[index] ?? 0;
    let end = ends[index] ?? 0;
    while (start < end && isBlank(units[start])) start += 1;
    while (end > start && isBlank(units[end - 1])) end -= 1;
    for (let at = start; at < end; at += 1) {
      const unit = units[at] ?? 0;
      one = Math.imul(one ^ unit, 0x01000193);
      other = Math.imul(other ^ unit, 0x01000197);
    }
    // Between two cells.
    one = Math.imul(one ^ 0x1f, 0x01000193);
    other = Math.imul(other ^ 0x1f, 0x01000197);
  }
  return (one >>> 0) * 0x20_0000 + (other >>> 11);
}
