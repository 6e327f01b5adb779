import stringWidth from "string-width";

export const measureWidth = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);

export const measureWidest = (texts: readonly string[]): number =>
  texts.reduce((widest, text) => Math.max(widest, measureWidth(text)), 0);

/** A longer word stays whole, so that it can be copied. */
export const wrapAtSpaces = (text: string, width: number): string[] => packLines(text.split(" "), " ", width);

/** Wraps paths between their segments and words too, but not ids, and other long words anywhere. */
export const wrapLine = (text: string, width: number): string[] =>
  [
    (line: string) => packLines(line.split(/(?<=\/)|(?<=-)(?![0-9a-f]+\b)/), "", width),
    (line: string) => packLines([...line], "", width),
  ].reduce(
    (lines, split) => lines.flatMap((line) => (measureWidth(line) > width ? split(line) : [line])),
    wrapAtSpaces(text, width),
  );

/** The width of a line is the sum of its parts: measuring it again for each part would take the square of its length. */
export function packLines(parts: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = [];
  // Empty parts are spaces: those before the text stay, and a line that continues it has none.
  let last: string | null = null;
  let lastWidth = 0;
  for (const part of parts) {
    const partWidth = measureWidth(part);
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

export function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += measureWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
