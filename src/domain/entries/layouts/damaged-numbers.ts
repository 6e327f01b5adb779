import { findClosest } from "../../text.ts";

/** A group of one damaged number, and a group beside it whose number it seems to be. */
interface DamagedNumber {
  readonly cell: string;
  readonly group: number;
  readonly entry: number;
}

/**
 * Finds the numbers with one wrong, missing or added character, or with a note. Such a row mostly belongs to the entry beside it,
 * which would be accepted without the duty of the row.
 *
 * @param numbers by group, in the order of the file
 */
export function findDamagedNumbers(
  numbers: readonly string[],
  invalid: ReadonlyMap<string, number>,
): readonly DamagedNumber[] {
  return [...invalid].flatMap(([cell, group]) =>
    [group - 1, group + 1].flatMap((entry) => {
      const number = numbers[entry];
      if (number === undefined || invalid.has(number)) return [];
      const isDamaged = cell.includes(number) || findClosest(cell, [number], 1) !== null;
      return isDamaged ? { cell, group, entry } : [];
    }),
  );
}
