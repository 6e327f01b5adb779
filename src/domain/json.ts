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
const DEEPEST = 500;

/** Whether a value that came as JSON nests deeper than anything that is meant. */
export const isTooDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1)));
