import { durationInWords } from "../../sandbox/duration-in-words.ts";

/** A time for a person, to the minute and in UTC; what is no time that we know, as it is. */
export const dayAndTime = (at: unknown): string | null =>
  typeof at === "string" ? at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(\.\d+)?)?Z$/, "$1 $2") : null;

/**
 * When something is to happen, seen from now: `in 2 h 4 min`.
 *
 * @param now milliseconds since 1970, by the clock that decides
 */
export function whenInWords(at: unknown, now: number): string | null {
  if (at === null || at === undefined) return null;
  const left = Date.parse(String(at)) - now;
  if (Number.isNaN(left)) return String(at);
  return left <= 0 ? "now" : `in ${durationInWords(left)}`;
}
