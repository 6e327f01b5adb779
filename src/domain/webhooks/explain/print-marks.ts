import { isRecord, isTextTooDeep, parseJsonText } from "../../json.ts";
import { type Cause, createCause } from "./causes.ts";

/** Escapes of characters that JSON has no need to escape, as json.Marshal of Go writes them. */
const HTML_SAFE_ESCAPE = /\\u00(?:26|3c|3e)/;

/** With fewer names, they are in this order by accident too often. */
const MIN_SORTED_NAMES = 6;

const MAX_DEPTH = 64;

/** The names of all objects, each object on its own. */
function listNames(value: unknown): string[][] {
  if (Array.isArray(value)) return value.flatMap(listNames);
  return isRecord(value) ? [Object.keys(value), ...Object.values(value).flatMap(listNames)] : [];
}

function hasSortedNames(value: unknown): boolean {
  const names = listNames(value);
  const isSorted = names.every((each) =>
    each.every((name, index) => index === 0 || (each[index - 1] ?? "") < name),
  );
  return isSorted && names.flat().length >= MIN_SORTED_NAMES;
}

/**
 * What a receiver left in a text that it printed itself, and then hashed: without the bytes that arrived, no proof. Null
 * without a mark.
 */
export function explainPrintMarks(text: string): Cause | null {
  // Deeper JSON would end the recursion.
  const value = isTextTooDeep(text, MAX_DEPTH) ? undefined : parseJsonText(text);
  const [escaped] = HTML_SAFE_ESCAPE.exec(text) ?? [];
  const isSorted = hasSortedNames(value);
  const marks = [
    ...(escaped === undefined ? [] : [`${escaped}, as json.Marshal of Go prints it`]),
    ...(isSorted ? ["all its names in alphabetical order, as maps are printed"] : []),
  ];
  if (value === undefined || marks.length === 0) return null;
  const evidence = `the text has ${marks.join(", and ")}; log the bytes that arrived to prove it, as the secret can be another one`;
  return createCause(isSorted ? "body.keys_sorted" : "body.reserialized", "likely", evidence);
}
