import { findClosest } from "../../text.ts";

/** Whether a cell is an entry number with one wrong, missing or added character, or with a note. */
export const isDamagedNumber = (cell: string, number: string): boolean =>
  cell.includes(number) || findClosest(cell, [number], 1) !== null;
