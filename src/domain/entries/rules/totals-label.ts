import { copyText } from "../csv/copy-text.ts";

/** Spreadsheets and report tools write these before or behind what they sum. */
const TOTAL =
  "(?:grand |sub ?-?|sous-)?(?:totals?|totaux|totale|totaal)|(?:zwischen|gesamt|end)?summe|(?:gesamt|teil)?ergebnis";

/** These are labels only if no other word stands beside them. */
const LONE_LABEL = `${TOTAL}|total g[eé]n[eé]ral|total geral|sum|suma|somme|somma|gesamt|razem|celkem|toplam|итого|всего|合计|总计|小计|合計|総計|小計|합계|총계`;

const NO_LETTER = "[^\\p{L}\\p{N}]";

const LABELS = [
  new RegExp(`^${NO_LETTER}*(${LONE_LABEL})${NO_LETTER}*$`, "iu"),
  new RegExp(`${NO_LETTER}(${TOTAL})${NO_LETTER}*$`, "iu"),
];

const FIRST_WORD = new RegExp(`^${NO_LETTER}*(?:${TOTAL}|sum)(?!\\p{L}|\\p{N})`, "iu");

const MAX_LABEL_LENGTH = 60;

/** The word of a cell that says that its row has totals; null if there is none. */
export function readTotalsLabel(cell: string): string | null {
  if (cell.length > MAX_LABEL_LENGTH) return null;
  for (const label of LABELS) {
    const found = label.exec(cell)?.[1];
    if (found !== undefined) return copyText(found);
  }
  return null;
}

/** Whether the cell of an entry number, or the first one of a row, says that the row has totals. */
export const isTotalsCell = (cell: string): boolean =>
  FIRST_WORD.test(cell.slice(0, MAX_LABEL_LENGTH)) || readTotalsLabel(cell.trim()) !== null;

/** Whether a cell of a row without a number names a total anywhere, as in "Total of all entries". */
export const mentionsTotal = (cell: string): boolean => /\b(?:sub)?totals?\b/i.test(cell);

/** Whether it is what programs write below a table: how many records there are, or their average. */
export const isNoteOfReport = (cell: string): boolean =>
  /^\W*(?:average|avg|mean|median|count|mittelwert|durchschnitt|anzahl|moyenne|promedio)(?!\p{L})|^\D{0,20}\d[\d.,]* (?:of|von|de|sur) \d[\d.,]* \p{L}+/iu.test(
    cell.slice(0, MAX_LABEL_LENGTH),
  );
