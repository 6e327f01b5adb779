/** Longer texts are compared by their beginnings: nobody mistypes that much. */
const MAX_COMPARED_CHARACTERS = 500;

/** Levenshtein's distance, one row at a time. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one.slice(0, MAX_COMPARED_CHARACTERS)].entries()) {
    const next = [line + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
