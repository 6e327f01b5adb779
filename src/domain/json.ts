/** Whether a value that came as JSON is an object with fields: neither a list nor null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a dotted path of something that came as JSON; null where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** Levels of lists and records within each other; no request or answer comes near it, and whatever walks one could run out of stack. */
export const MAX_JSON_DEPTH = 500;

/** Whether a value that came as JSON nests deeper than anything that is meant. */
export function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (typeof inner === "object" && isTooDeep(inner, left - 1)) return true;
  return false;
}

/** Characters of a value that an error message quotes. */
const MAX_QUOTED = 200;

/** A value of any type for an error message: its JSON, cut where it is long. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = stringifyJson(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** A circular value, a big integer or a function has no JSON. */
function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    return "a value that JSON cannot write";
  }
}
