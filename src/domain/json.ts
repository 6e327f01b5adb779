/** Whether a JSON value is an object, not an array or null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A string of JSON, or an integer of so many digits that `JSON.parse` may round it. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/gs;

/** As {@link parseJsonText}. An integer that a number cannot hold exactly, as some ids are, becomes the text of its digits. */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJsonText(text);
  const exact = text.replace(STRING_OR_LONG_INTEGER, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`,
  );
  return parseJsonText(exact);
}

/** Editors and shells of Windows begin a file with a byte order mark, which JSON.parse refuses. */
export const dropByteOrderMark = (text: string): string => text.replace(/^\ufeff/, "");

/** The value at a dotted path of a JSON value; null if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** A null on the way hides which fields a record has, so that every field may exist. */
export function hasPath(value: unknown, path: string): boolean {
  let found = value;
  for (const name of path.split(".")) {
    if (found === null) return true;
    if (typeof found !== "object" || !Object.hasOwn(found, name)) return false;
    found = (found as Record<string, unknown>)[name];
  }
  return true;
}

const MAX_FOUND_DEPTH = 20;

/** The value of the first field of a name, level by level. */
export function findShallowest(document: unknown, name: string): unknown {
  for (const record of walkByLevel(document, MAX_FOUND_DEPTH))
    if (Object.hasOwn(record, name)) return record[name];
  return undefined;
}

/** The objects of a document, the outermost first. */
export function* walkByLevel(
  document: unknown,
  maxDepth = Number.POSITIVE_INFINITY,
): Generator<Fields, undefined> {
  let level: unknown[] = [document];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    yield* level.filter(isRecord);
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
}

/** Levels of nesting. Recursive functions would overflow the stack far beyond it. */
export const MAX_JSON_DEPTH = 500;

export function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (typeof inner === "object" && isTooDeep(inner, left - 1)) return true;
  return false;
}

/** As {@link isTooDeep}, of JSON before it is parsed: to parse millions of levels takes a second. */
export function isTextTooDeep(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

const MAX_QUOTED = 200;

export function quoteValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = stringifyJson(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** Circular values, big integers and functions have no JSON. */
function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    return "a value that JSON cannot write";
  }
}
