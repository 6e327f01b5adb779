import type { Row } from "../rules/row.ts";
import { hashText } from "./hash-text.ts";
import { IntegerMap } from "./integer-map.ts";

/** Larger line numbers and ordinals are hashed. With a million groups, the packed numbers stay below 2^53. */
const MAX_PACKED_LINE = 0x1_ffff;
const MAX_PACKED_ORDINAL = 0xffff;

/** The line numbers and ordinals that the rows of each entry have had (diligence-model §1, *Repetition*). */
export class SeenTariffLines {
  readonly #lines = new IntegerMap();

  /** Remembers those of a row. Returns the line of the file on which the entry had both first; null if this is the first. */
  addAndFindFirst(group: number, { entryLine, line, tariffOrdinal }: Row): number | null {
    if (entryLine === null || tariffOrdinal === null) return null;
    const isPacked =
      typeof entryLine === "number" &&
      typeof tariffOrdinal === "number" &&
      entryLine <= MAX_PACKED_LINE &&
      tariffOrdinal <= MAX_PACKED_ORDINAL;
    const key = isPacked
      ? (group * (MAX_PACKED_LINE + 1) + entryLine) * (MAX_PACKED_ORDINAL + 1) + tariffOrdinal
      : hashText(JSON.stringify([group, entryLine, tariffOrdinal]));
    return this.#lines.insertIfAbsent(key, line);
  }
}
