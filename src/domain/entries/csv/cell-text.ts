/** White space is what `\s` matches, but a U+FEFF inside a file is a character that no one sees (diligence-model §1). */
export const WHITE_SPACE = /[^\S\uFEFF]+/g;

const WHITE_EDGES = /^[^\S\uFEFF]+|[^\S\uFEFF]+$/g;

export const trimCell = (cell: string): string =>
  cell.includes("\uFEFF") ? cell.replace(WHITE_EDGES, "") : cell.trim();

/** Unwraps Excel's text form `="…"`, unless it is a formula such as `="a"&"b"`. */
export function unwrapTextForm(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return cell;
  const inner = cell.slice(2, -1);
  const isFormula = inner.replaceAll('""', "").includes('"');
  return isFormula ? cell : trimCell(inner.replaceAll('""', '"'));
}

/** The form in which texts are compared: unwrapped, without case, with single spaces. */
export const foldText = (cell: string): string =>
  unwrapTextForm(trimCell(cell)).replace(WHITE_SPACE, " ").toLowerCase();
