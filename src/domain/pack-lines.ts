/** Of most text the columns on a terminal. The exact measure loads a package. */
const countCharacters = (text: string): number => [...text].length;

/** A longer word stays whole, so that it can be copied. */
export const wrapAtSpaces = (text: string, width: number, measure = countCharacters): string[] =>
  packLines(text.split(" "), " ", width, measure);

/** A command in lines that a shell reads as one. An option and its value, and what is in quotes, stay together. */
export function wrapCommand(text: string, width: number, measure = countCharacters): string[] {
  if (measure(text) <= width) return [text];
  const parts = text.split(/ (?=[-|>])(?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
  const lines = packLines(parts, " ", width - "   \\".length, measure);
  return lines.map((line, at) => (at === 0 ? "" : "  ") + line + (at < lines.length - 1 ? " \\" : ""));
}

/** The width of a line is the sum of its parts: measuring it again for each part would take the square of its length. */
export function packLines(
  parts: readonly string[],
  gap: string,
  width: number,
  measure = countCharacters,
): string[] {
  const lines: string[] = [];
  // Empty parts are spaces: those before the text stay, and a line that continues it has none.
  let last: string | null = null;
  let lastWidth = 0;
  for (const part of parts) {
    const partWidth = measure(part);
    const longerWidth = lastWidth + gap.length + partWidth;
    if (last === null) {
      if (part === "" && lines.length > 0) continue;
      last = part;
      lastWidth = partWidth;
    } else if (longerWidth <= width || last.trim() === "") {
      last += gap + part;
      lastWidth = longerWidth;
    } else {
      lines.push(last.trimEnd());
      last = part === "" ? null : part;
      lastWidth = partWidth;
    }
  }
  return last === null ? lines : [...lines, last];
}
