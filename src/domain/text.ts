import { TextDecoder } from "node:util";

/** Longer texts are compared by their beginnings. */
const MAX_COMPARED_CHARACTERS = 500;

/** Levenshtein's distance, one row at a time. */
function editDistance(one: string, other: string): number {
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

/** The first of the nearest candidates, whatever their case; null if none is near. @param maxDistance default: a third */
export function findClosest(
  word: string,
  candidates: Iterable<string>,
  maxDistance = Math.ceil(word.length / 3),
): string | null {
  let closest: string | null = null;
  let smallest = Math.floor(maxDistance) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference in length.
    if (Math.abs(candidate.length - word.length) >= smallest) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < smallest) [closest, smallest] = [candidate, distance];
  }
  return closest;
}

/** The lines of a text in pieces, without line feeds. @param checkLength gets the length of the unfinished line; may throw */
export async function* splitLines(
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  checkLength?: (length: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished: string[] = [];
  let length = 0;
  for await (const piece of source) {
    const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const [first = "", ...others] = text.split("\n");
    unfinished.push(first);
    length += first.length;
    for (const line of others) {
      yield unfinished.join("");
      unfinished = [line];
      length = line.length;
    }
    checkLength?.(length);
  }
  if (length > 0) yield unfinished.join("");
}

export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  checkLength?: (length: number) => void,
): AsyncGenerator<string> {
  for await (const line of splitLines(body, checkLength)) if (line.trim() !== "") yield line;
}

/** `a, b, and 3 more` */
export function joinFirst(texts: readonly string[], max: number, separator = ", "): string {
  const left = texts.length - max;
  return [...texts.slice(0, max), ...(left > 0 ? [`and ${left} more`] : [])].join(separator);
}

/** One cell of a record, quoted where RFC 4180 asks for it. */
export const quoteCsvCell = (text: string): string => (/[",\r\n]/.test(text) ? quote(text) : text);

/** {@link quoteCsvCell} for another delimiter than the comma. */
export const quoteDelimitedCell = (text: string, delimiter: string): string =>
  /["\r\n]/.test(text) || text.includes(delimiter) ? quote(text) : text;

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const PLAIN_NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Marks a cell that a spreadsheet would run as a formula as text (OWASP "CSV injection"). */
export const escapeFormula = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
