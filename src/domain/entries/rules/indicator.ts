import { trimCell, WHITE_SPACE } from "../csv/cell-text.ts";

const YES = /^(?:y|yes|true|t|1|x)$/i;
const NO = /^(?:n|no|false|f|0)$/i;

/** The number of something else: `No. 4711`. */
const NUMBER = /^no\.?[^\S\uFEFF]+#?\d/i;

/**
 * Reads the first word of a cell that is not blank (diligence-model §1). Returns null for a word that is neither, and for a
 * cell with two answers, as when rows are joined into one.
 */
export function readIndicator(cell: string): boolean | null {
  if (NUMBER.test(trimCell(cell))) return null;
  const words = trimCell(cell)
    .split(WHITE_SPACE)
    .map((word) => word.replace(/[.,;:]+$/, ""));
  const [first = ""] = words;
  const isYes = YES.test(first);
  const opposite = isYes ? /^(?:n|no)$/i : /^(?:y|yes)$/i;
  return (isYes || NO.test(first)) && !words.some((word) => opposite.test(word)) ? isYes : null;
}
