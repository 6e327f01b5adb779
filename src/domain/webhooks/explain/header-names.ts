import type { HeaderList } from "../headers.ts";

/** What is left of a name in an environment variable, a log or a framework: `HTTP_X_SERVICE_SIGNATURE`. */
const normalize = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/^http/, "");

/** Longer names are no names of the interface. */
const MAX_LENGTH = 64;

/** The first header whose name is nearly this one, which is missing; null without one. */
export function findNearMiss(
  headers: HeaderList,
  name: string,
): readonly [name: string, value: string] | null {
  const wanted = normalize(name);
  const isNear = ([key]: readonly [string, string]) =>
    key.length <= MAX_LENGTH && isOneEditAway(normalize(key), wanted);
  return headers.find(isNear) ?? null;
}

/** Whether the texts are equal, or one character is added, lost or another one. */
function isOneEditAway(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end))
    end += 1;
  return Math.max(one.length, other.length) - start - end <= 1;
}
