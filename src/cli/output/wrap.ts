import stringWidth from "string-width";
import { wrapAtSpaces, wrapParts } from "../../domain/wrap-text.ts";

export const measureWidth = (text: string): number =>
  /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);

export const measureWidest = (texts: readonly string[]): number =>
  texts.reduce((widest, text) => Math.max(widest, measureWidth(text)), 0);

/** Wraps paths between their segments and words too, but not ids, and other long words anywhere. */
export const wrapLine = (text: string, width: number): string[] =>
  [
    (line: string) =>
      wrapParts(line.split(/(?<=\/)|(?<=\.)(?=[a-z])|(?<=-)(?![0-9a-f]+\b)/), "", width, measureWidth),
    (line: string) => wrapParts([...line], "", width, measureWidth),
  ].reduce(
    (lines, split) => lines.flatMap((line) => (measureWidth(line) > width ? split(line) : [line])),
    wrapAtSpaces(text, width, measureWidth),
  );

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
