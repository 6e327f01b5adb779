import { durationInWords } from "../../../duration-in-words.ts";

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
