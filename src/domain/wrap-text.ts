/** Of most text the columns on a terminal. The exact measure loads a package. */
const countCharacters = (text: string): number => [...text].length;

/** A longer word stays whole, so that it can be copied. */
export const wrapAtSpaces = (text: string, width: number, measure = countCharacters): string[] =>
  wrapParts(text.split(" "), " ", width, measure);

/** A command in lines that a shell reads as one. An option and its value, and what is in quotes, stay together. */
export function wrapCommand(text: string, width: number, measure = countCharacters): string[] {
  if (measure(text) <= width) return [text];
  const parts = text.split(/ (?=[-|>])(?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
  const lines = wrapParts(parts, " ", width - "   \\".length, measure);
  return lines.map((line, at) => (at === 0 ? "" : "  ") + line + (at < lines.length - 1 ? " \\" : ""));
}

/** Fills lines greedily up to `width`. Keeps the indent of the first line and drops spaces at a break. */
export function wrapParts(
  parts: readonly string[],
  separator: string,
  width: number,
  measure = countCharacters,
): string[] {
  // Of a text that was split at spaces, each further space is an empty part.
  const indentParts = parts.findIndex((part) => part.trim() !== "");
  if (indentParts === -1) return parts.length === 0 ? [] : [parts.join(separator)];
  const lines: string[] = [];
  let line = parts.slice(0, indentParts + 1).join(separator);
  // Known without reading the line again for each part, which would take the square of its length.
  let lineWidth = measure(line);
  let isBlank = false;
  for (const part of parts.slice(indentParts + 1)) {
    const partWidth = measure(part);
    const longerWidth = lineWidth + separator.length + partWidth;
    if (!isBlank && longerWidth <= width) {
      line += separator + part;
      lineWidth = longerWidth;
      continue;
    }
    // Spaces at a break are dropped.
    if (!isBlank) lines.push(line.trimEnd());
    line = part;
    lineWidth = partWidth;
    isBlank = part.trim() === "";
  }
  return isBlank ? lines : [...lines, line];
}
