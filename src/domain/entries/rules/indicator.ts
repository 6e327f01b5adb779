import { trimCell, WHITE_SPACE } from "../csv/cell-text.ts";

const YES = /^(?:y|yes|true|t|1|x)$/i;
const NO = /^(?:n|no|false|f|0)$/i;

/** Reads the first word of a cell that is not blank (diligence-model §1). Returns null for a word that is neither. */
export function readIndicator(cell: string): boolean | null {
  const [first = ""] = trimCell(cell).split(WHITE_SPACE);
  const word = first.replace(/[.,;:]+$/, "");
  if (YES.test(word)) return true;
  return NO.test(word) ? false : null;
}
